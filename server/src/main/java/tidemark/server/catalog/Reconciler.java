package tidemark.server.catalog;

import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tidemark.server.raft.HostedGroup;
import tidemark.server.raft.HostedGroup.Leadership;
import tidemark.server.raft.HostedGroup.Registration;
import tidemark.server.raft.RaftHost;
import tidemark.server.raft.RaftHost.Member;
import tidemark.statemachine.catalog.CatalogState;
import tidemark.statemachine.catalog.GroupEntry;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.StreamId;

/**
 * Makes what this server hosts agree with the catalog: starts groups that have a replica here, removes deleted ones and confirms it,
 * has the groups that it leads open their streams, and where it leads the catalog registers the cluster's servers.
 *
 * <p>All of this is decided in a {@link #turn} from what the catalog and the host say at that moment; nothing is remembered that a
 * restart would lose, and each step can be repeated. Slow steps run on two executors: one adds groups (a few at a time, since each
 * costs disk and an election), the other removes them (which may wait long for a group's last work).
 *
 * <p>Turns are run by one thread. {@link #wake}, called from everywhere, asks for one.
 */
public final class Reconciler {
    private static final Logger LOG = LoggerFactory.getLogger(Reconciler.class);

    /** Turns that a group which could not be started is left alone; one comes at least every few seconds. */
    private static final int TURNS_BEFORE_RETRY = 15;

    private final String serverId;
    private final RaftHost raft;
    private final RaftCatalog catalog;
    private final StreamOpener opener;
    private final RemovalReports reports;
    private final Workers workers;
    private final Runnable wake;

    private final Set<GroupId> busy = ConcurrentHashMap.newKeySet();
    private final Set<GroupId> started = ConcurrentHashMap.newKeySet();
    private final Set<StreamId> opening = ConcurrentHashMap.newKeySet();
    /** By group: the turn in which it could not be started. */
    private final Map<GroupId, Long> failed = new ConcurrentHashMap<>();
    /** Groups whose streams this server may have to open. Touched by turns only. */
    private final Map<GroupId, Watch> watches = new ConcurrentHashMap<>();

    private long turns;
    private volatile boolean registering;
    private volatile boolean settled;

    /**
     * Who does what takes time.
     *
     * @param adders starts groups; its number of threads says how many at a time
     * @param remover removes groups
     */
    record Workers(Executor adders, Executor remover) {}

    /**
     * @param wake asks for a turn soon; returns at once
     */
    Reconciler(
            String serverId,
            RaftHost raft,
            RaftCatalog catalog,
            StreamOpener opener,
            RemovalReports reports,
            Workers workers,
            Runnable wake) {
        this.serverId = serverId;
        this.raft = raft;
        this.catalog = catalog;
        this.opener = opener;
        this.reports = reports;
        this.workers = workers;
        this.wake = wake;
    }

    /** Whether once since the start the catalog had a leader and every group that belongs here ran. */
    boolean settled() {
        return settled;
    }

    /** Looks at everything once, and starts what there is to do. Does not wait for it. */
    void turn() {
        turns++;
        Leadership leadership = catalog.group().leadership();
        if (leadership.leads()) {
            registerServers();
        }
        CatalogState state = catalog.state();
        // Also those that the host found on disk are started once more: a process that died while it formed one may
        // have left it
        // without members. Where they are there, nothing happens.
        started.retainAll(raft.groups());
        HostingPlan plan = HostingPlan.of(serverId, state.groups(), state.tombstones(), started, busy);
        plan.add().stream().filter(this::mayTry).forEach(this::add);
        if (!plan.remove().isEmpty()) {
            remove(plan.remove());
        }
        openStreams(state);
        settled |= (leadership.leads() || leadership.leaderId().isPresent())
                && plan.add().isEmpty()
                && busy.isEmpty();
    }

    private void registerServers() {
        if (registering || catalog.serversRegistered()) {
            return;
        }
        registering = true;
        var unused = catalog.registerServers().whenComplete((outcome, failure) -> {
            registering = false;
            if (failure != null) {
                LOG.debug("servers not registered yet: {}", failure.getMessage());
            }
            wake.run();
        });
    }

    private boolean mayTry(GroupEntry group) {
        Long failedIn = failed.get(group.id());
        return failedIn == null || turns - failedIn >= TURNS_BEFORE_RETRY;
    }

    private void add(GroupEntry group) {
        Optional<List<Member>> members = members(group);
        if (members.isEmpty()) {
            return;
        }
        long turn = turns;
        busy.add(group.id());
        workers.adders.execute(() -> {
            try {
                raft.addGroup(group.id(), members.get());
                failed.remove(group.id());
                started.add(group.id());
            } catch (IOException e) {
                failed.put(group.id(), turn);
                LOG.error("cannot start group {}: {}", group.id(), e.getMessage());
            } finally {
                busy.remove(group.id());
                wake.run();
            }
        });
    }

    private Optional<List<Member>> members(GroupEntry group) {
        List<Member> members = group.replicas().stream()
                .map(catalog::member)
                .flatMap(Optional::stream)
                .toList();
        if (members.size() != group.replicas().size()) {
            LOG.error("group {} has replicas on servers that are not known: {}", group.id(), group.replicas());
            return Optional.empty();
        }
        return Optional.of(members);
    }

    private void remove(List<GroupId> groups) {
        busy.addAll(groups);
        workers.remover.execute(() -> {
            try {
                confirm(groups.stream().filter(this::removed).toList());
            } finally {
                groups.forEach(busy::remove);
                // No wake: what was not confirmed is tried again with the next turn that comes anyway.
            }
        });
    }

    private boolean removed(GroupId group) {
        try {
            raft.removeGroup(group);
            return true;
        } catch (IOException e) {
            LOG.error("cannot remove group {}: {}", group, e.getMessage());
            return false;
        }
    }

    private void confirm(List<GroupId> groups) {
        Leadership leadership = catalog.group().leadership();
        if (groups.isEmpty()) {
            return;
        }
        if (leadership.leads()) {
            for (GroupId group : groups) {
                var unused = catalog.confirmRemoved(group, serverId).whenComplete((outcome, failure) -> {
                    if (failure != null) {
                        LOG.debug("removal of {} not confirmed yet: {}", group, failure.getMessage());
                    }
                });
            }
        } else if (leadership.leaderId().isPresent()) {
            try {
                reports.removed(leadership.leaderId().get(), groups);
            } catch (IOException e) {
                LOG.debug("removals not confirmed yet: {}", e.getMessage());
            }
        }
    }

    private void openStreams(CatalogState state) {
        Set<GroupId> here = new HashSet<>();
        for (GroupEntry entry : state.groups()) {
            if (entry.replicas().contains(serverId)) {
                raft.group(entry.id()).ifPresent(group -> {
                    here.add(entry.id());
                    openStreams(entry, watch(group));
                });
            }
        }
        watches.values().removeIf(watch -> {
            boolean gone = !here.contains(watch.group.id());
            if (gone) {
                watch.end();
            }
            return gone;
        });
    }

    private void openStreams(GroupEntry entry, Watch watch) {
        // Before the look at the streams, so that a change after it asks for another turn.
        Leadership leadership = watch.group.leadership();
        if (!leadership.leads()) {
            return;
        }
        boolean allOpen = true;
        for (StreamId stream : entry.streams()) {
            if (!opener.isOpen(watch.group, stream)) {
                allOpen = false;
                open(watch.group, stream);
            }
        }
        if (allOpen) {
            watch.settledTerm = leadership.term();
        }
    }

    private void open(HostedGroup group, StreamId stream) {
        if (!opening.add(stream)) {
            return;
        }
        var unused = opener.open(group, stream).whenComplete((outcome, failure) -> {
            opening.remove(stream);
            if (failure == null) {
                wake.run();
            } else {
                LOG.debug("stream {} not opened yet: {}", stream, failure.getMessage());
            }
        });
    }

    private Watch watch(HostedGroup group) {
        Watch present = watches.get(group.id());
        if (present != null && present.group == group) {
            return present;
        }
        if (present != null) {
            present.end();
        }
        Watch started = new Watch(group, wake);
        watches.put(group.id(), started);
        return started;
    }

    /** Asks for a turn when this server becomes the leader of a group, and no more once that term's work is done. */
    private static final class Watch {
        private static final long NEVER = -1;

        private final HostedGroup group;
        private final Registration registration;
        private volatile long settledTerm = NEVER;

        Watch(HostedGroup group, Runnable wake) {
            this.group = group;
            this.registration = group.listen(() -> {
                Leadership leadership = group.leadership();
                if (leadership.leads() && leadership.term() != settledTerm) {
                    wake.run();
                }
            });
        }

        void end() {
            registration.close();
        }
    }
}
