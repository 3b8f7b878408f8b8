package tidemark.statemachine.env;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * An inode of {@link FakeFileSystem}: contents as they are seen, contents as they are durable, and the changes that lie between,
 * oldest first. Guarded by the file system's lock.
 */
abstract sealed class FakeNode {
    /** Which of the changes that are not durable a crash lets live. */
    sealed interface Survival {
        Survival NONE = new None();

        static Survival some(RandomGenerator random) {
            return new Some(random);
        }

        record None() implements Survival {}

        record Some(RandomGenerator random) implements Survival {}
    }

    /** Makes all changes durable. */
    abstract void sync();

    /** Forgets changes that are not durable, but for those that survive. For a directory: with all that is in it then. */
    final void crash(Survival survival) {
        crash(survival, new HashSet<>());
    }

    abstract void crash(Survival survival, Set<FakeNode> done);

    /** Moves a node, as one change where both names are in one directory. */
    static void move(FakeNode node, Directory from, String oldName, Directory to, String newName) {
        if (from == to) {
            if (!oldName.equals(newName)) {
                from.change(new Directory.Naming(oldName, newName, node));
            }
        } else {
            to.put(newName, node);
            from.remove(oldName);
        }
    }

    static final class Regular extends FakeNode {
        /** A write, or with null a truncation. */
        private static final class Edit {
            private final long position;
            private final byte @Nullable [] bytes;

            Edit(long position, byte @Nullable [] bytes) {
                this.position = position;
                this.bytes = bytes;
            }
        }

        private final Bytes seen = new Bytes();
        private final Bytes durable = new Bytes();
        private final List<Edit> pending = new ArrayList<>();

        void write(long position, byte[] bytes) {
            change(new Edit(position, bytes));
        }

        void truncate(long size) {
            change(new Edit(size, null));
        }

        private void change(Edit change) {
            apply(change, seen);
            pending.add(change);
        }

        private static void apply(Edit change, Bytes target) {
            if (change.bytes == null) {
                target.truncate(change.position);
            } else {
                target.write(change.position, change.bytes);
            }
        }

        int read(ByteBuffer target, long position) {
            return seen.read(target, position);
        }

        long size() {
            return seen.size;
        }

        byte[] contents() {
            return Arrays.copyOf(seen.bytes, seen.size);
        }

        @Override
        void sync() {
            pending.forEach(change -> apply(change, durable));
            pending.clear();
        }

        /** What was to become durable never will; the page cache still shows it. */
        void failSync() {
            pending.clear();
        }

        void flipBit(long position, int bit) {
            seen.flipBit(position, bit);
            if (position < durable.size) {
                durable.flipBit(position, bit);
            }
            for (int i = 0; i < pending.size(); i++) {
                pending.set(i, flipped(pending.get(i), position, bit));
            }
        }

        private static Edit flipped(Edit change, long position, int bit) {
            byte[] bytes = change.bytes;
            long at = position - change.position;
            if (bytes == null || at < 0 || at >= bytes.length) {
                return change;
            }
            byte[] copy = bytes.clone();
            copy[(int) at] ^= (byte) (1 << bit);
            return new Edit(change.position, copy);
        }

        @Override
        void crash(Survival survival, Set<FakeNode> done) {
            if (survival instanceof Survival.Some some) {
                for (Edit change : pending) {
                    if (some.random().nextBoolean()) {
                        apply(maybeTorn(change, some.random()), durable);
                    }
                }
            }
            pending.clear();
            seen.copy(durable);
        }

        private static Edit maybeTorn(Edit change, RandomGenerator random) {
            byte[] bytes = change.bytes;
            if (bytes == null || random.nextBoolean()) {
                return change;
            }
            return new Edit(change.position, Arrays.copyOf(bytes, random.nextInt(bytes.length + 1)));
        }
    }

    static final class Directory extends FakeNode {
        /** A new name for a node, an old name gone, or both at once. */
        record Naming(
                @Nullable String removed,
                @Nullable String added,
                @Nullable FakeNode node) {}

        private TreeMap<String, FakeNode> seen = new TreeMap<>();
        private final TreeMap<String, FakeNode> durable = new TreeMap<>();
        private final List<Naming> pending = new ArrayList<>();

        @Nullable FakeNode get(String name) {
            return seen.get(name);
        }

        List<String> names() {
            return List.copyOf(seen.keySet());
        }

        void put(String name, FakeNode node) {
            change(new Naming(null, name, node));
        }

        void remove(String name) {
            change(new Naming(name, null, null));
        }

        private void change(Naming change) {
            apply(change, seen);
            pending.add(change);
        }

        private static void apply(Naming change, Map<String, FakeNode> target) {
            if (change.removed() != null) {
                target.remove(change.removed());
            }
            if (change.added() != null && change.node() != null) {
                target.put(change.added(), change.node());
            }
        }

        @Override
        void sync() {
            pending.forEach(change -> apply(change, durable));
            pending.clear();
        }

        @Override
        void crash(Survival survival, Set<FakeNode> done) {
            if (!done.add(this)) {
                return;
            }
            if (survival instanceof Survival.Some some) {
                int kept = some.random().nextInt(pending.size() + 1);
                pending.subList(0, kept).forEach(change -> apply(change, durable));
            }
            pending.clear();
            seen = new TreeMap<>(durable);
            seen.values().forEach(node -> node.crash(survival, done));
        }
    }

    /** A growing array. */
    private static final class Bytes {
        private byte[] bytes = new byte[0];
        private int size;

        void write(long position, byte[] source) {
            if (source.length == 0) {
                return;
            }
            int end = Math.toIntExact(position + source.length);
            if (end > bytes.length) {
                bytes = Arrays.copyOf(bytes, Math.max(end, bytes.length * 2));
            }
            System.arraycopy(source, 0, bytes, (int) position, source.length);
            size = Math.max(size, end);
        }

        void truncate(long length) {
            if (length < size) {
                Arrays.fill(bytes, (int) length, size, (byte) 0);
                size = (int) length;
            }
        }

        int read(ByteBuffer target, long position) {
            if (position >= size) {
                return 0;
            }
            int count = Math.min(target.remaining(), size - (int) position);
            target.put(bytes, (int) position, count);
            return count;
        }

        void flipBit(long position, int bit) {
            bytes[Math.toIntExact(position)] ^= (byte) (1 << bit);
        }

        void copy(Bytes other) {
            bytes = other.bytes.clone();
            size = other.size;
        }
    }
}
