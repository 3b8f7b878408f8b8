package tidemark.server.config;

/** The configuration cannot be used. The message says where it stands (flag, or file and line), what is wrong and what to do. */
public final class ConfigException extends Exception {
    private static final long serialVersionUID = 1L;

    public ConfigException(String message) {
        super(message);
    }
}
