package tidemark.server.grpc;

import io.grpc.StatusRuntimeException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import tidemark.server.catalog.Catalog;
import tidemark.server.raft.HostedGroup;
import tidemark.server.raft.HostedGroup.Leadership;
import tidemark.server.raft.RaftHost;
import tidemark.server.raft.RaftHost.Member;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.StreamEntry;

/** Decides where a call goes next, from what this server knows. Does nothing itself. Safe for use by many threads. */
final class Router {
    /** Leaders remembered of groups that have no replica here; when there are more, all are forgotten. */
    private static final int LEADERS_MAX = 10_000;

    private final RaftHost raft;
    private final Catalog catalog;
    private final String selfId;
    private final Map<GroupId, String> leaders = new ConcurrentHashMap<>();

    Router(RaftHost raft, Catalog catalog, String selfId) {
        this.raft = raft;
        this.catalog = catalog;
        this.selfId = selfId;
    }

    String selfId() {
        return selfId;
    }

    /** Where a call goes. */
    sealed interface Decision {}

    /** It is served here. */
    record Local(Here here) implements Decision {}

    /** It is handed to another server, which may know better. */
    record Remote(Member server) implements Decision {}

    /** Nobody can serve it now; later perhaps. */
    record Wait(StatusRuntimeException error) implements Decision {}

    /** Nobody will serve it. */
    record Fail(StatusRuntimeException error) implements Decision {}

    /**
     * @param tried servers that did not serve this call lately, this one included if so
     * @param hint the leader according to the one tried last
     */
    Decision decide(Target target, Set<String> tried, Optional<String> hint) {
        return switch (target.place()) {
            case HERE -> new Local(here(target));
            case CATALOG_LEADER, CATALOG_LEADER_ELSE_HERE -> catalogLeader(target, tried, hint);
            case STREAM_LEADER, STREAM_LEADER_ELSE_HERE, STREAM_REPLICA -> stream(target, tried, hint);
        };
    }

    /** What this server has of a target, whether or not it leads. */
    Here here(Target target) {
        Optional<StreamEntry> entry = target.stream().isEmpty() ? Optional.empty() : catalog.stream(target.stream());
        return new Here(entry, entry.flatMap(known -> raft.group(known.group())));
    }

    /** Notes that a server served a call as leader. */
    void served(Target target, String serverId) {
        if (target.place() != Target.Place.STREAM_LEADER) {
            return;
        }
        catalog.stream(target.stream()).ifPresent(entry -> {
            if (leaders.size() >= LEADERS_MAX) {
                leaders.clear();
            }
            leaders.put(entry.group(), serverId);
        });
    }

    /** The leader of a stream's group as far as this server knows. */
    Optional<String> leaderId(StreamEntry entry) {
        Optional<HostedGroup> hosted = raft.group(entry.group());
        return hosted.isPresent()
                ? leaderId(hosted.get().leadership())
                : Optional.ofNullable(leaders.get(entry.group()));
    }

    Optional<String> catalogLeaderId() {
        return leaderId(catalog.group().leadership());
    }

    Optional<Member> member(String serverId) {
        return catalog.member(serverId);
    }

    private Optional<String> leaderId(Leadership leadership) {
        return leadership.leads() ? Optional.of(selfId) : leadership.leaderId();
    }

    private Decision catalogLeader(Target target, Set<String> tried, Optional<String> hint) {
        Leadership leadership = catalog.group().leadership();
        if (leadership.leads() && !tried.contains(selfId)) {
            return new Local(here(target));
        }
        List<String> candidates = new ArrayList<>();
        hint.ifPresent(candidates::add);
        leadership.leaderId().ifPresent(candidates::add);
        return firstUntried(candidates, tried)
                .<Decision>map(Remote::new)
                .orElseGet(() -> new Wait(Errors.noLeader("", "the catalog's leader is not known or not reachable")));
    }

    private Decision stream(Target target, Set<String> tried, Optional<String> hint) {
        Optional<StreamEntry> entry = catalog.stream(target.stream());
        if (entry.isEmpty()) {
            return unknown(target, tried, hint);
        }
        boolean any = target.place() == Target.Place.STREAM_REPLICA;
        Optional<HostedGroup> hosted = raft.group(entry.get().group());
        Optional<Leadership> leadership = hosted.map(HostedGroup::leadership);
        if (!tried.contains(selfId)
                && (any ? hosted.isPresent() : leadership.map(Leadership::leads).orElse(false))) {
            return new Local(new Here(entry, hosted));
        }
        List<String> candidates = new ArrayList<>();
        hint.ifPresent(candidates::add);
        leadership.flatMap(Leadership::leaderId).ifPresent(candidates::add);
        Optional.ofNullable(leaders.get(entry.get().group())).ifPresent(candidates::add);
        candidates.addAll(catalog.replicas(entry.get().group()));
        return firstUntried(candidates, tried)
                .<Decision>map(Remote::new)
                .orElseGet(() -> new Wait(Errors.noLeader(target.stream(), "no replica answers as leader")));
    }

    /** A name that this server's copy of the catalog does not have; only the catalog's leader knows that there is none. */
    private Decision unknown(Target target, Set<String> tried, Optional<String> hint) {
        if (catalog.group().leadership().leads()) {
            // Asked again: it may have been created between the first look and the answer that this server leads.
            return catalog.stream(target.stream()).isPresent()
                    ? new Wait(Errors.noLeader(target.stream(), "it was created just now"))
                    : new Fail(Errors.streamNotFound(target.stream()));
        }
        Decision leader = catalogLeader(target, tried, hint);
        return leader instanceof Local
                ? new Wait(Errors.noLeader(target.stream(), "this server does not know it yet"))
                : leader;
    }

    private Optional<Member> firstUntried(List<String> serverIds, Set<String> tried) {
        for (String id : serverIds) {
            if (!id.equals(selfId) && !tried.contains(id)) {
                Optional<Member> member = catalog.member(id);
                if (member.isPresent()) {
                    return member;
                }
            }
        }
        return Optional.empty();
    }
}
