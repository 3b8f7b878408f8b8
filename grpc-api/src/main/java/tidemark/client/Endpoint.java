package tidemark.client;

import java.util.ArrayList;
import java.util.List;

/**
 * Address of a server for clients. IPv6 addresses are written in brackets: {@code [::1]:7420}.
 *
 * @param host name or address, without brackets
 * @param port 1 to 65,535
 */
public record Endpoint(String host, int port) {
    /** Port that servers use for clients unless told otherwise. */
    public static final int DEFAULT_PORT = 7420;

    /** Checks the host and the port; {@link IllegalArgumentException} says what is wrong. */
    public Endpoint {
        if (host.isEmpty()
                || host.chars().anyMatch(c -> c <= ' ' || c >= 0x7f || c == ',' || c == '/' || c == '[' || c == ']')) {
            throw new IllegalArgumentException("not a host name or address: \"" + host + "\"");
        }
        if (port < 1 || port > 65_535) {
            throw new IllegalArgumentException("port must be 1 to 65535, is " + port);
        }
    }

    /** Reads {@code host:port}, or {@code host} with the default port; {@link IllegalArgumentException} if it is neither. */
    public static Endpoint parse(String text) {
        String trimmed = text.trim();
        int bracket = trimmed.startsWith("[") ? trimmed.indexOf(']') : -1;
        if (bracket > 0) {
            String rest = trimmed.substring(bracket + 1);
            String host = trimmed.substring(1, bracket);
            if (rest.isEmpty()) {
                return new Endpoint(host, DEFAULT_PORT);
            }
            if (rest.startsWith(":")) {
                return new Endpoint(host, parsePort(rest.substring(1), text));
            }
            throw new IllegalArgumentException("expected host:port, got \"" + text + "\"");
        }
        int colon = trimmed.indexOf(':');
        if (colon < 0) {
            return new Endpoint(trimmed, DEFAULT_PORT);
        }
        if (trimmed.indexOf(':', colon + 1) >= 0) {
            throw new IllegalArgumentException(
                    "expected host:port, got \"" + text + "\"; write an IPv6 address in brackets, as in [::1]:7420");
        }
        return new Endpoint(trimmed.substring(0, colon), parsePort(trimmed.substring(colon + 1), text));
    }

    /** Reads a comma-separated list of at least one endpoint. */
    public static List<Endpoint> parseList(String text) {
        List<Endpoint> endpoints = new ArrayList<>();
        for (String part : text.split(",", -1)) {
            endpoints.add(parse(part));
        }
        return List.copyOf(endpoints);
    }

    private static int parsePort(String digits, String whole) {
        try {
            return Integer.parseInt(digits);
        } catch (NumberFormatException notANumber) {
            throw new IllegalArgumentException("expected host:port, got \"" + whole + "\"", notANumber);
        }
    }

    /** {@code host:port}, as {@link #parse} reads it. */
    @Override
    public String toString() {
        return (host.indexOf(':') >= 0 ? "[" + host + "]" : host) + ":" + port;
    }
}
