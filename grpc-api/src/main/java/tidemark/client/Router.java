package tidemark.client;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What the client believes about the cluster: which servers there are, which of them can be reached from here, and which leads
 * which stream. All of it may be wrong at any time; servers correct it. Thread-safe, never blocks.
 *
 * <p>One server may have two endpoints, the one the client was given and the one the cluster advertises. The given one is
 * preferred once its server id is known: it is known to work from here.
 */
final class Router {
    /** First time to leave an endpoint alone that could not be reached; doubles each time. */
    private static final long DOWN_FIRST_NANOS = 1_000_000_000L;

    private static final long DOWN_MAX_NANOS = 60_000_000_000L;

    /** Most streams whose leaders are remembered; beyond, all are forgotten and learned again. */
    private static final int LEADERS_MAX = 10_000;

    private final List<Endpoint> seeds;
    private final Map<Endpoint, Down> down = new HashMap<>();
    private final Map<String, Endpoint> leaders = new HashMap<>();
    private final Map<String, Endpoint> endpointsById = new HashMap<>();
    private List<Endpoint> members = List.of();
    private Endpoint preferred;

    private record Down(long untilNanos, long pauseNanos) {}

    Router(List<Endpoint> seeds) {
        if (seeds.isEmpty()) {
            throw new IllegalArgumentException("at least one server is needed");
        }
        this.seeds = List.copyOf(new LinkedHashSet<>(seeds));
        this.preferred = this.seeds.get(0);
    }

    List<Endpoint> seeds() {
        return seeds;
    }

    /** The endpoint believed to lead a stream. */
    synchronized @Nullable Endpoint leader(String stream) {
        return leaders.get(stream);
    }

    /** The endpoint to use for a server; null if unknown. */
    synchronized @Nullable Endpoint endpointOf(String serverId) {
        return endpointsById.get(serverId);
    }

    /** Whether an endpoint failed lately and is still left alone. */
    synchronized boolean isDown(Endpoint endpoint, long nowNanos) {
        Down state = down.get(endpoint);
        return state != null && nowNanos - state.untilNanos() < 0;
    }

    /** The next endpoint for a call that any server can take; null if all were tried. Those that failed lately come last. */
    synchronized @Nullable Endpoint any(Set<Endpoint> tried, long nowNanos) {
        Endpoint lastResort = null;
        for (Endpoint endpoint : inOrder()) {
            if (tried.contains(endpoint)) {
                continue;
            }
            if (!isDown(endpoint, nowNanos)) {
                return endpoint;
            }
            if (lastResort == null) {
                lastResort = endpoint;
            }
        }
        return lastResort;
    }

    private Set<Endpoint> inOrder() {
        Set<Endpoint> all = new LinkedHashSet<>();
        all.add(preferred);
        all.addAll(seeds);
        all.addAll(members);
        return all;
    }

    /** A server answered, with whatever answer. */
    synchronized void answered(Endpoint endpoint) {
        down.remove(endpoint);
        if (down.containsKey(preferred)) {
            preferred = endpoint;
        }
    }

    /** A server could not be reached, or its connection was lost: it leads nothing any more, as far as is known here. */
    synchronized void failed(Endpoint endpoint, long nowNanos) {
        Down before = down.get(endpoint);
        long pause = before == null ? DOWN_FIRST_NANOS : Math.min(DOWN_MAX_NANOS, before.pauseNanos() * 2);
        if (before == null || nowNanos - before.untilNanos() >= 0) {
            down.put(endpoint, new Down(nowNanos + pause, pause));
        }
        leaders.values().removeIf(endpoint::equals);
    }

    /** A server says where a stream's leader is. Answers the endpoint to use; null if it does not help. */
    synchronized @Nullable Endpoint leaderIs(String stream, String serverId, @Nullable Endpoint advertised) {
        Endpoint known = serverId.isEmpty() ? null : endpointsById.get(serverId);
        Endpoint endpoint = known != null ? known : advertised;
        if (endpoint == null) {
            leaders.remove(stream);
            return null;
        }
        if (leaders.size() >= LEADERS_MAX) {
            leaders.clear();
        }
        leaders.put(stream, endpoint);
        return endpoint;
    }

    /** A description of a stream names its leader; helps only if the server's endpoint is known. */
    synchronized void leaderMayBe(String stream, String serverId) {
        if (endpointsById.containsKey(serverId)) {
            leaderIs(stream, serverId, null);
        }
    }

    /** An endpoint does not lead a stream any more. */
    synchronized void leaderLost(String stream, Endpoint endpoint) {
        leaders.remove(stream, endpoint);
    }

    /** What a server said about the cluster when asked at an endpoint. */
    synchronized void learned(Endpoint askedAt, ClusterInfo cluster) {
        Set<Endpoint> endpoints = new LinkedHashSet<>();
        for (ClusterInfo.Server server : cluster.servers()) {
            Endpoint advertised = Failures.endpointOf(server.clientEndpoint());
            if (advertised == null) {
                continue;
            }
            Endpoint known = endpointsById.get(server.serverId());
            if (known == null || !seeds.contains(known)) {
                endpointsById.put(server.serverId(), advertised);
                endpoints.add(advertised);
            }
        }
        if (!cluster.serverId().isEmpty() && seeds.contains(askedAt)) {
            endpointsById.put(cluster.serverId(), askedAt);
        }
        members = new ArrayList<>(endpoints);
    }
}
