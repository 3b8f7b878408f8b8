package tidemark.server.catalog;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import tidemark.server.raft.HostedGroup;
import tidemark.server.raft.ProposalException;
import tidemark.server.raft.ProposalException.Kind;
import tidemark.server.raft.RaftHost;
import tidemark.server.raft.RaftHost.Member;
import tidemark.statemachine.catalog.CatalogCommands;
import tidemark.statemachine.catalog.CatalogMachine;
import tidemark.statemachine.catalog.CatalogState;
import tidemark.statemachine.catalog.ServerEntry;
import tidemark.statemachine.model.GroupId;
import tidemark.statemachine.model.Outcome;
import tidemark.statemachine.model.StreamEntry;
import tidemark.statemachine.model.StreamEntry.StreamSettings;
import tidemark.statemachine.model.StreamId;

/** The catalog as a hosted Raft group. */
public final class RaftCatalog implements Catalog {
    private final RaftHost raft;
    private final GroupId id;
    private final Map<String, Member> configured;
    private final Supplier<UUID> randomId;
    private final LongSupplier wallMillis;
    /** Held on to, so that leadership and listeners can be asked for while the group is being started again. */
    private volatile HostedGroup group;

    /**
     * @param id a group that is hosted
     * @param configured the members that this server was started with
     * @param randomId makes ids of streams and groups
     * @param wallMillis clock for times of creation
     * @throws IllegalArgumentException if the group is not hosted
     */
    public RaftCatalog(
            RaftHost raft, GroupId id, List<Member> configured, Supplier<UUID> randomId, LongSupplier wallMillis) {
        this.raft = raft;
        this.id = id;
        this.configured = new LinkedHashMap<>();
        configured.forEach(member -> this.configured.put(member.id(), member));
        this.randomId = randomId;
        this.wallMillis = wallMillis;
        this.group = raft.group(id).orElseThrow(() -> new IllegalArgumentException("group is not hosted: " + id));
    }

    @Override
    public HostedGroup group() {
        raft.group(id).ifPresent(current -> group = current);
        return group;
    }

    /** What this server's copy says now. A live view: see {@link CatalogState}. */
    CatalogState state() {
        return ((CatalogMachine) group().machine()).state();
    }

    @Override
    public Optional<StreamEntry> stream(String name) {
        return state().stream(name);
    }

    @Override
    public List<StreamEntry> list(String prefix, String afterName, int limit) {
        return state().list(prefix, afterName, limit);
    }

    @Override
    public long streamCount() {
        return state().streamCount();
    }

    @Override
    public List<String> replicas(GroupId group) {
        return state().replicas(group);
    }

    /** What the operator wrote wins over what the catalog remembers: addresses change there first. */
    @Override
    public List<Member> members() {
        Map<String, Member> members = new TreeMap<>();
        state().servers().values().forEach(server -> members.put(server.id(), member(server)));
        members.putAll(configured);
        return new ArrayList<>(members.values());
    }

    @Override
    public Optional<Member> member(String serverId) {
        Member known = configured.get(serverId);
        return known != null
                ? Optional.of(known)
                : Optional.ofNullable(state().servers().get(serverId)).map(RaftCatalog::member);
    }

    /** Whether the catalog knows the servers that this one was started with, at these addresses. */
    boolean serversRegistered() {
        Map<String, ServerEntry> known = state().servers();
        return configured.values().stream().allMatch(member -> entry(member).equals(known.get(member.id())));
    }

    /** Tells the catalog the servers that this one was started with. */
    CompletableFuture<Outcome> registerServers() {
        return propose(registration());
    }

    @Override
    public CompletableFuture<Outcome> create(String name, StreamSettings settings) {
        byte[] create = CatalogCommands.createStream(
                name, new StreamId(randomId.get()), new GroupId(randomId.get()), settings, wallMillis.getAsLong());
        // A leader that was elected a moment ago may not have registered the servers yet, and nothing can be placed on
        // unknown ones.
        return propose(serversRegistered() ? create : CatalogCommands.join(List.of(registration(), create)));
    }

    @Override
    public CompletableFuture<Outcome> update(String name, Update update) {
        return propose(CatalogCommands.updateStream(
                name, update.maxRecordBytes(), update.setLabels(), update.removeLabels(), update.expectedRevision()));
    }

    @Override
    public CompletableFuture<Outcome> delete(String name, Optional<StreamId> onlyIfId) {
        return propose(CatalogCommands.deleteStream(name, onlyIfId));
    }

    @Override
    public CompletableFuture<Outcome> markSealed(StreamId stream) {
        return propose(CatalogCommands.markSealed(stream));
    }

    @Override
    public CompletableFuture<Outcome> confirmRemoved(GroupId removed, String serverId) {
        return propose(CatalogCommands.confirmGroupRemoved(removed, serverId));
    }

    private byte[] registration() {
        return CatalogCommands.registerServers(configured.values().stream()
                .map(RaftCatalog::entry)
                .sorted(Comparator.comparing(ServerEntry::id))
                .toList());
    }

    /** The outcome is that of the last command. */
    private CompletableFuture<Outcome> propose(byte[] entry) {
        return group().propose(entry)
                .thenCompose(outcomes -> outcomes.isEmpty()
                        ? CompletableFuture.failedFuture(new ProposalException(
                                Kind.INDETERMINATE, "the catalog gave no outcome", Optional.empty()))
                        : CompletableFuture.completedFuture(outcomes.get(outcomes.size() - 1)));
    }

    private static Member member(ServerEntry server) {
        return new Member(server.id(), server.host(), server.clientPort(), server.raftPort());
    }

    private static ServerEntry entry(Member member) {
        return new ServerEntry(member.id(), member.host(), member.clientPort(), member.raftPort());
    }
}
