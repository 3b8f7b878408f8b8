package tidemark.server.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import tidemark.statemachine.catalog.ServerEntry;

/** Reads the list of a cluster's servers: {@code ID=HOST[:CLIENT_PORT[:RAFT_PORT]],…}. */
final class MemberList {
    /** Most servers that vote in the catalog's group. */
    static final int SERVERS_MAX = 5;

    private final Given given;
    private final int defaultClientPort;
    private final int defaultRaftPort;

    MemberList(Given given, int defaultClientPort, int defaultRaftPort) {
        this.given = given;
        this.defaultClientPort = defaultClientPort;
        this.defaultRaftPort = defaultRaftPort;
    }

    /** The servers, sorted by id. */
    List<ServerEntry> parse() throws ConfigException {
        List<ServerEntry> members = new ArrayList<>();
        for (String entry : given.value().split(",", -1)) {
            members.add(member(entry.strip()));
        }
        checkUnique(members);
        int count = members.size();
        if (count > SERVERS_MAX) {
            throw given.problem("names " + count + " servers; a cluster has 1, 3 or 5");
        }
        if (count % 2 == 0) {
            throw given.problem(
                    "names " + count + " servers; a cluster has 1, 3 or 5: an even number costs one more and stands no"
                            + " more failures");
        }
        members.sort(Comparator.comparing(ServerEntry::id));
        return List.copyOf(members);
    }

    private ServerEntry member(String entry) throws ConfigException {
        int equals = entry.indexOf('=');
        if (equals <= 0) {
            throw malformed(entry);
        }
        String id = entry.substring(0, equals).strip();
        String address = entry.substring(equals + 1).strip();
        int hostEnd = address.startsWith("[") ? address.indexOf(']') + 1 : firstColon(address);
        if (hostEnd == 0 || (hostEnd < address.length() && address.charAt(hostEnd) != ':')) {
            throw malformed(entry);
        }
        String[] ports = hostEnd == address.length()
                ? new String[0]
                : address.substring(hostEnd + 1).split(":", -1);
        if (ports.length > 2) {
            throw given.problem("'" + Values.shown(entry)
                    + "' has too many colons; an IPv6 address stands in brackets, like" + " n1=[::1]:7420:7421");
        }
        ServerEntry member = new ServerEntry(
                id,
                host(entry, address.substring(0, hostEnd)),
                ports.length > 0 ? port(entry, ports[0]) : defaultClientPort,
                ports.length > 1 ? port(entry, ports[1]) : defaultRaftPort);
        Optional<String> problem = member.problem();
        if (problem.isPresent()) {
            throw given.problem("'" + Values.shown(entry) + "': " + problem.get());
        }
        if (member.clientPort() == member.raftPort()) {
            throw given.problem("'" + Values.shown(entry) + "': client port and Raft port must differ");
        }
        return member;
    }

    private static int firstColon(String address) {
        int colon = address.indexOf(':');
        return colon < 0 ? address.length() : colon;
    }

    private String host(String entry, String written) throws ConfigException {
        try {
            return Hosts.parse(written);
        } catch (IllegalArgumentException e) {
            throw given.problem("'" + Values.shown(entry) + "': " + e.getMessage());
        }
    }

    private int port(String entry, String text) throws ConfigException {
        int port = Values.number(text);
        if (port < 1 || port > 65_535) {
            throw given.problem(
                    "'" + Values.shown(entry) + "': a port is 1 to 65535, not '" + Values.shown(text) + "'");
        }
        return port;
    }

    private void checkUnique(List<ServerEntry> members) throws ConfigException {
        Set<String> ids = new HashSet<>();
        Set<String> endpoints = new HashSet<>();
        for (ServerEntry member : members) {
            if (!ids.add(member.id())) {
                throw given.problem("names server " + member.id() + " twice");
            }
            for (int port : new int[] {member.clientPort(), member.raftPort()}) {
                String endpoint = Hosts.shown(member.host()) + ":" + port;
                if (!endpoints.add(endpoint)) {
                    throw given.problem("names " + endpoint + " twice; each server needs ports of its own on one host");
                }
            }
        }
    }

    private ConfigException malformed(String entry) {
        return given.problem("'" + Values.shown(entry)
                + "' is not ID=HOST[:CLIENT_PORT[:RAFT_PORT]], like n1=10.0.0.1:7420:7421 or n1=[::1]:7420");
    }
}
