package tidemark.client;

import com.google.protobuf.ByteString;
import io.grpc.StatusRuntimeException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import tidemark.v1.AppendResponse;
import tidemark.v1.ErrorReason;
import tidemark.v1.Record;
import tidemark.v1.StoredRecord;

/**
 * Some fake servers with one stream between them, and what is to happen to the next appends. Its log is a plain list, and
 * remembers writers as the protocol promises.
 */
final class FakeCluster implements AutoCloseable {
    private static final AtomicInteger NAMESPACES = new AtomicInteger();

    final String namespace = "fake-" + NAMESPACES.incrementAndGet();
    final TreeMap<String, FakeServer> servers = new TreeMap<>();

    /** One line for each call that reached a server: server, call, and whether it was told not to forward. */
    final List<String> calls = new ArrayList<>();

    /** Client endpoints that servers advertise, where they differ from {@code id:1}. */
    final Map<String, String> advertised = new ConcurrentHashMap<>();

    private final List<Integer> batches = new ArrayList<>();
    private final Set<String> streams = new HashSet<>();
    private final List<StoredRecord> log = new ArrayList<>();
    private final Map<ByteString, Map<Long, AppendResponse>> writers = new HashMap<>();
    private final ArrayDeque<Fate> fates = new ArrayDeque<>();
    private final ArrayDeque<Cut> cuts = new ArrayDeque<>();
    private final List<FakeRead> reads = new ArrayList<>();
    private String leaderId;
    private long start;
    private boolean sealed;

    /** What happens to one append. */
    record Fate(boolean applied, @Nullable StatusRuntimeException failure, boolean answered) {
        static Fate ack() {
            return new Fate(true, null, true);
        }

        /** Applied, but the answer does not arrive. */
        static Fate loseAnswer() {
            return new Fate(true, Errors.connectionLost(), true);
        }

        /** Not applied, and no word about it. */
        static Fate loseRequest() {
            return new Fate(false, Errors.connectionLost(), true);
        }

        static Fate fail(StatusRuntimeException failure) {
            return new Fate(false, failure, true);
        }

        /** Neither applied nor answered. */
        static Fate hang() {
            return new Fate(false, null, false);
        }
    }

    FakeCluster(String... ids) {
        for (String id : ids) {
            servers.put(id, new FakeServer(this, id));
        }
        leaderId = ids[0];
        servers.values().forEach(FakeServer::start);
    }

    /** Endpoints of servers are {@code id:1}. */
    static Endpoint endpoint(String id) {
        return new Endpoint(id, 1);
    }

    FakeServer server(String id) {
        FakeServer server = servers.get(id);
        if (server == null) {
            throw new IllegalArgumentException("no server " + id);
        }
        return server;
    }

    synchronized void lead(String id) {
        leaderId = id;
    }

    synchronized String leader() {
        return leaderId;
    }

    synchronized void plan(Fate... next) {
        fates.addAll(List.of(next));
    }

    synchronized Fate nextFate() {
        Fate next = fates.poll();
        return next == null ? Fate.ack() : next;
    }

    /** The next {@code Read} calls end so: after so many messages, with this failure. */
    record Cut(int messages, StatusRuntimeException failure) {}

    synchronized void planCuts(Cut... next) {
        cuts.addAll(List.of(next));
    }

    synchronized Cut nextCut() {
        Cut next = cuts.poll();
        return next == null ? new Cut(Integer.MAX_VALUE, Errors.connectionLost()) : next;
    }

    void reading(FakeRead read) {
        synchronized (this) {
            reads.add(read);
        }
        read.pump();
    }

    /** Readers at the end look again. */
    void wakeReaders() {
        List<FakeRead> all;
        synchronized (this) {
            all = List.copyOf(reads);
        }
        all.forEach(FakeRead::pump);
    }

    synchronized void called(String line) {
        calls.add(line);
        notifyAll();
    }

    synchronized List<String> calls() {
        return List.copyOf(calls);
    }

    /** Waits until a call of this line came. */
    synchronized void awaitCall(String line) throws InterruptedException {
        while (!calls.contains(line)) {
            wait();
        }
    }

    synchronized void batch(int records) {
        batches.add(records);
    }

    /** Sizes of the batches that came through sessions, in records. */
    synchronized List<Integer> batches() {
        return List.copyOf(batches);
    }

    synchronized boolean create(String stream) {
        return streams.add(stream);
    }

    synchronized boolean delete(String stream) {
        return streams.remove(stream);
    }

    synchronized void truncate(long newStart) {
        start = newStart;
    }

    synchronized void seal() {
        sealed = true;
    }

    synchronized boolean isSealed() {
        return sealed;
    }

    synchronized long start() {
        return start;
    }

    synchronized long end() {
        return log.size();
    }

    synchronized StoredRecord stored(long offset) {
        return log.get((int) offset);
    }

    /** The payloads of all records, as text. */
    synchronized List<String> payloads() {
        return log.stream()
                .map(record -> record.getRecord().getPayload().toStringUtf8())
                .toList();
    }

    /** Appends, or recognises a repeat; an empty writer id stands for none. */
    synchronized AppendResponse apply(List<Record> records, ByteString writerId, long sequence) {
        Map<Long, AppendResponse> answers = writers.computeIfAbsent(writerId, id -> new HashMap<>());
        if (!writerId.isEmpty()) {
            AppendResponse original = answers.get(sequence);
            if (original != null) {
                return original.toBuilder().setDuplicate(true).build();
            }
            if (sequence != answers.size()) {
                throw Errors.of(
                        io.grpc.Status.Code.FAILED_PRECONDITION,
                        ErrorReason.ERROR_REASON_OUT_OF_SEQUENCE,
                        tidemark.v1.Effect.EFFECT_NONE);
            }
        }
        long base = log.size();
        for (Record record : records) {
            log.add(StoredRecord.newBuilder()
                    .setOffset(log.size())
                    .setTimestampMs(1_000 + base)
                    .setRecord(record)
                    .build());
        }
        AppendResponse answer = AppendResponse.newBuilder()
                .setBaseOffset(base)
                .setEndOffset(log.size())
                .setTimestampMs(1_000 + base)
                .setTerm(3)
                .build();
        if (!writerId.isEmpty()) {
            answers.put(sequence, answer);
        }
        return answer;
    }

    /** What must never happen: acknowledged records vanish. */
    synchronized void loseEverything() {
        log.clear();
    }

    /** Forgets all writers, as a stream does with those that appended longest ago. */
    synchronized void forgetWriters() {
        writers.clear();
    }

    synchronized boolean remembers(ByteString writerId) {
        return writers.containsKey(writerId);
    }

    /** Fills the stream with payloads "0", "1", … */
    void fill(int count) {
        for (int i = 0; i < count; i++) {
            Record record = Record.newBuilder()
                    .setPayload(ByteString.copyFromUtf8(Integer.toString(i)))
                    .build();
            var unused = apply(List.of(record), ByteString.EMPTY, 0);
        }
    }

    TidemarkClient client(FakeWorld world, String... seedIds) {
        return client(world, ClientOptions.defaults(), seedIds);
    }

    TidemarkClient client(FakeWorld world, ClientOptions options, String... seedIds) {
        List<Endpoint> seeds =
                java.util.Arrays.stream(seedIds).map(FakeCluster::endpoint).toList();
        return new GrpcClient(new ClientCore(seeds, options, world));
    }

    @Override
    public void close() {
        servers.values().forEach(FakeServer::kill);
    }
}
