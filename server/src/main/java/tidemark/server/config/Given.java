package tidemark.server.config;

/**
 * A value that somebody gave for a setting.
 *
 * @param value as written, without surrounding space
 * @param origin where, for messages: {@code --client-port}, or {@code tidemark.conf:12: client-port}
 */
public record Given(String value, String origin) {
    ConfigException problem(String what) {
        return new ConfigException(origin + ": " + what);
    }
}
