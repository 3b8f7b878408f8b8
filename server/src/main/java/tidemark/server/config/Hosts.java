package tidemark.server.config;

import java.util.regex.Pattern;

/** How hosts are written: a name, an IPv4 address, or an IPv6 address in brackets. Looks nothing up. */
public final class Hosts {
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9]([A-Za-z0-9._-]{0,253}[A-Za-z0-9_.-])?");
    private static final Pattern IPV6 = Pattern.compile("[0-9A-Fa-f:.]{2,45}(%[A-Za-z0-9._-]{1,32})?");

    private Hosts() {}

    /**
     * A host without its brackets.
     *
     * @throws IllegalArgumentException if it is none; the message is for the user
     */
    static String parse(String written) {
        if (written.startsWith("[") && written.endsWith("]")) {
            String inner = written.substring(1, written.length() - 1);
            if (!isIpv6(inner)) {
                throw new IllegalArgumentException("'" + Values.shown(written) + "' is not an IPv6 address");
            }
            return inner;
        }
        if (isIpv6(written)) {
            return written;
        }
        if (!NAME.matcher(written).matches()) {
            throw new IllegalArgumentException("'" + Values.shown(written) + "' is not a host name or address");
        }
        return written;
    }

    private static boolean isIpv6(String text) {
        return text.indexOf(':') >= 0 && IPV6.matcher(text).matches();
    }

    /** A host as it stands before a colon and a port. */
    public static String shown(String host) {
        return host.indexOf(':') >= 0 ? "[" + host + "]" : host;
    }

    /** Where this machine itself reaches what listens on a host. */
    static String reachable(String listen) {
        return switch (listen) {
            case "0.0.0.0" -> "127.0.0.1";
            case "::", "0:0:0:0:0:0:0:0" -> "::1";
            default -> listen;
        };
    }
}
