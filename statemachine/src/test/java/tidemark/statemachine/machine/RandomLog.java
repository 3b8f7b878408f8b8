package tidemark.statemachine.machine;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import tidemark.engine.proto.Command;
import tidemark.engine.proto.Entry;
import tidemark.statemachine.format.Batch;
import tidemark.statemachine.model.LogPosition;
import tidemark.statemachine.model.Outcome;
import tidemark.statemachine.model.StreamId;

/** A log of entries drawn by chance, with what they should do. */
final class RandomLog {
    /** An entry, and what it should answer. */
    record Logged(LogPosition at, Entry entry, List<Outcome> outcomes) {}

    private final SplittableRandom random;
    private final int streams;
    private final boolean seals;
    private final ModelMachine model = new ModelMachine();
    private final List<Logged> entries = new ArrayList<>();
    private long timestampMs = 1_000;
    private long term = 1;

    RandomLog(SplittableRandom random, int streams, boolean seals) {
        this.random = random;
        this.streams = streams;
        this.seals = seals;
    }

    List<Logged> entries() {
        return entries;
    }

    /** A model that has applied the first so many entries. */
    ModelMachine modelAfter(int count) {
        ModelMachine fresh = new ModelMachine();
        entries.subList(0, count).forEach(logged -> fresh.apply(logged.at(), logged.entry()));
        return fresh;
    }

    RandomLog add(int count) {
        for (int i = 0; i < count; i++) {
            add();
        }
        return this;
    }

    /** Entries that append to the first stream, and do nothing else. */
    RandomLog addAppends(int count) {
        for (int i = 0; i < count; i++) {
            log(entry().addCommands(append(Entries.stream(0))));
        }
        return this;
    }

    private void add() {
        Entry.Builder entry = entry();
        int commands = random.nextInt(1, 4);
        for (int i = 0; i < commands; i++) {
            entry.addCommands(command());
        }
        log(entry);
    }

    private Entry.Builder entry() {
        timestampMs += random.nextInt(-5, 20);
        if (random.nextInt(10) == 0) {
            term++;
        }
        Entry.Builder entry = Entry.newBuilder().setTimestampMs(timestampMs);
        if (entries.isEmpty()) {
            entry.addCommands(Entries.open(Entries.stream(0)));
        }
        return entry;
    }

    private void log(Entry.Builder entry) {
        // Indexes have gaps, as entries that are not the machine's have indexes too.
        long last =
                entries.isEmpty() ? -1 : entries.get(entries.size() - 1).at().index();
        LogPosition at = new LogPosition(term, last + random.nextInt(1, 3));
        Entry built = entry.build();
        entries.add(new Logged(at, built, model.apply(at, built)));
    }

    private Command command() {
        StreamId id = Entries.stream(random.nextInt(streams));
        ModelMachine.Stream stream = model.streams.get(id);
        if (stream == null) {
            return random.nextInt(4) == 0 ? append(id) : Entries.open(id);
        }
        return switch (random.nextInt(20)) {
            case 0 -> Entries.barrier();
            case 1 -> Entries.truncate(id, stream.end);
            case 2, 3 -> Entries.truncate(id, stream.start + random.nextInt(-2, 20));
            case 4 -> Entries.truncateIf(id, stream.start + random.nextInt(10), stream.start - random.nextInt(2));
            case 5, 6 -> Entries.appendIf(id, batch(), stream.end - random.nextInt(2));
            case 7, 8, 9 -> Entries.appendBy(id, batch(), random.nextInt(3), random.nextInt(6));
            case 10 -> seals && random.nextInt(10) == 0 ? Entries.seal(id) : append(id);
            default -> append(id);
        };
    }

    private Command append(StreamId id) {
        return Entries.append(id, batch());
    }

    private Batch batch() {
        return Entries.batch(random.nextInt(1, 8), random.nextInt(200), random.nextInt(100));
    }
}
