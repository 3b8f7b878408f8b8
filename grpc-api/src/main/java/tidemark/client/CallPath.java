package tidemark.client;

import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The way of one call through the cluster: which server each attempt asks, and what a failed attempt means for the next one.
 * Pure but for what it tells the {@link Router}. Not thread-safe.
 *
 * <pre>
 *  leader believed ──direct──► it leads: one hop
 *        │ unknown                 │ NOT_LEADER + hint ──direct──► hinted server   (at most 3 such steps)
 *        └─ any server, direct ────┘ hint missing or not reachable ──► any server that answers, which forwards
 * </pre>
 *
 * A round ends when every known server was tried, or one said that waiting is what helps; then the caller pauses.
 */
final class CallPath {
    /** Steps from hint to hint in one round, before servers are asked to forward. */
    private static final int DIRECT_STEPS_MAX = 3;

    private final Router router;
    private final Target target;
    private final Set<Endpoint> tried = new HashSet<>();
    private int directSteps;
    private boolean directAllowed = true;

    /** What kind of server a call wants. */
    record Target(String stream, boolean leader, @Nullable Endpoint only) {
        /** The leader of a stream. */
        static Target leaderOf(String stream) {
            return new Target(stream, true, null);
        }

        /** Any server. */
        static Target any(String stream) {
            return new Target(stream, false, null);
        }

        /** Exactly this server. */
        static Target only(String stream, Endpoint endpoint) {
            return new Target(stream, false, endpoint);
        }
    }

    /** What to do after a failed attempt, if it is to be repeated at all. */
    enum Next {
        /** Try the next route at once. */
        NOW,
        /** Pause first. */
        PAUSE
    }

    CallPath(Router router, Target target) {
        this.router = router;
        this.target = target;
    }

    /** Where the next attempt goes; null at the end of a round. */
    @Nullable Route next(long nowNanos) {
        if (target.only() != null) {
            return tried.contains(target.only()) ? null : new Route(target.only(), true);
        }
        boolean direct = target.leader() && directAllowed;
        Endpoint leader = target.leader() ? router.leader(target.stream()) : null;
        if (leader != null) {
            if (!tried.contains(leader) && !router.isDown(leader, nowNanos)) {
                return new Route(leader, direct);
            }
            direct = false; // the leader is known and cannot be reached: others forward
        }
        Endpoint endpoint = router.any(tried, nowNanos);
        return endpoint == null ? null : new Route(endpoint, direct);
    }

    /** Takes note of an answer: whoever answers without forwarding leads. */
    void succeeded(Route route) {
        router.answered(route.endpoint());
        if (target.leader() && route.direct()) {
            router.leaderIs(target.stream(), "", route.endpoint());
        }
        newRound();
    }

    /** Takes note of a failed attempt. */
    Next failed(Route route, CallFailure failure, long nowNanos) {
        return switch (failure.kind()) {
            case NOT_LEADER -> notLeader(route, failure, nowNanos);
            case STOPPING, UNREACHABLE, LOST -> elsewhere(route, nowNanos);
            case UNKNOWN -> {
                Reason reason = failure.exception().reason();
                if (reason == Reason.UNREACHABLE || reason == Reason.TIMEOUT) {
                    yield elsewhere(route, nowNanos);
                }
                router.leaderLost(target.stream(), route.endpoint());
                yield Next.PAUSE;
            }
            case NO_LEADER, OVERLOADED, REJECTED -> {
                router.answered(route.endpoint());
                yield Next.PAUSE;
            }
        };
    }

    private Next elsewhere(Route route, long nowNanos) {
        router.failed(route.endpoint(), nowNanos);
        tried.add(route.endpoint());
        return Next.NOW;
    }

    private Next notLeader(Route route, CallFailure failure, long nowNanos) {
        router.answered(route.endpoint());
        router.leaderLost(target.stream(), route.endpoint());
        if (!route.direct() || target.only() != null) {
            return Next.PAUSE; // it was free to forward and could not
        }
        Endpoint leader = router.leaderIs(target.stream(), failure.hintServerId(), failure.hintEndpoint());
        directSteps++;
        if (leader == null
                || leader.equals(route.endpoint())
                || tried.contains(leader)
                || router.isDown(leader, nowNanos)
                || directSteps >= DIRECT_STEPS_MAX) {
            directAllowed = false;
        }
        return Next.NOW;
    }

    /** After a pause: every server may be asked again. */
    void newRound() {
        tried.clear();
        directSteps = 0;
        directAllowed = true;
    }
}
