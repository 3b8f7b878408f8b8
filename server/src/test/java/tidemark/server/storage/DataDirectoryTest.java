package tidemark.server.storage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tidemark.server.storage.DataDirectory.Roots;
import tidemark.statemachine.env.StorageException;

class DataDirectoryTest {
    private static final Owner OWNER = Owner.of("tidemark", List.of("n1", "n2", "n3"), "n1");

    @TempDir
    private Path directory;

    private int ids;

    @Test
    void aNewDirectoryIsCreatedForItsOwnerAlone() throws Exception {
        Path data = directory.resolve("a/b");
        try (DataDirectory opened = open(all(data), OWNER)) {
            assertThat(opened.journal()).isEqualTo(data.resolve("raft"));
            assertThat(opened.store()).isEqualTo(data);
            assertThat(mode(data)).isEqualTo("rwx------");
            assertThat(mode(data.resolve("identity"))).isEqualTo("rw-------");
            assertThat(mode(data.resolve("raft"))).isEqualTo("rwx------");
            assertThat(mode(data.resolve("LOCK"))).isEqualTo("rw-------");
            assertThat(Files.readString(data.resolve("identity")))
                    .contains("server-id=n1\n", "cluster-name=tidemark\n", "holds=journal,store\n");
        }
    }

    @Test
    void theSameServerComesBackToIt() throws Exception {
        UUID first;
        try (DataDirectory opened = open(all(directory), OWNER)) {
            first = opened.directoryId();
        }
        try (DataDirectory again = open(all(directory), OWNER)) {
            assertThat(again.directoryId()).isEqualTo(first);
        }
    }

    @Test
    void theOrderOfTheMembersDoesNotMatter() {
        assertThat(Owner.of("tidemark", List.of("n3", "n1", "n2"), "n1")).isEqualTo(OWNER);
        assertThat(Owner.of("tidemark", List.of("n1"), "n1").clusterId()).isNotEqualTo(OWNER.clusterId());
        assertThat(Owner.of("other", List.of("n1", "n2", "n3"), "n1").clusterId())
                .isNotEqualTo(OWNER.clusterId());
    }

    @Test
    void oneThatIsInUseIsRefusedAndTheProcessIsNamed() throws Exception {
        try (DataDirectory opened = open(all(directory), OWNER)) {
            assertThat(opened.directoryId()).isNotNull();
            assertRefused(
                    all(directory),
                    OWNER,
                    directory.toString(),
                    "in use",
                    "process " + ProcessHandle.current().pid());
        }
        open(all(directory), OWNER).close();
    }

    @Test
    void oneOfAnotherClusterIsRefused() throws Exception {
        open(all(directory), OWNER).close();
        assertRefused(
                all(directory),
                Owner.of("other", List.of("n1", "n2", "n3"), "n1"),
                "another cluster, 'tidemark'",
                "'other'");
        assertRefused(all(directory), Owner.of("tidemark", List.of("n1"), "n1"), "other servers in its --cluster list");
        open(all(directory), OWNER).close();
    }

    @Test
    void oneOfAnotherServerIsRefused() throws Exception {
        open(all(directory), OWNER).close();
        assertRefused(
                all(directory), Owner.of("tidemark", List.of("n1", "n2", "n3"), "n2"), "another server, 'n1'", "'n2'");
    }

    @Test
    void anyChangedByteOfTheIdentityIsNoticedAndNothingIsRepaired() throws Exception {
        open(all(directory), OWNER).close();
        Path identity = directory.resolve("identity");
        byte[] original = Files.readAllBytes(identity);
        for (int i = 0; i < original.length; i++) {
            byte[] damaged = original.clone();
            damaged[i] ^= 1;
            Files.write(identity, damaged);
            // A changed digit of the version is another version; all else is damage.
            assertThatThrownBy(() -> open(all(directory), OWNER))
                    .isInstanceOfAny(StorageException.Corrupt.class, StorageException.UnsupportedVersion.class)
                    .hasMessageContaining(identity.toString());
            assertThat(Files.readAllBytes(identity)).isEqualTo(damaged);
        }
        for (int length = 0; length < original.length; length++) {
            Files.write(identity, java.util.Arrays.copyOf(original, length));
            assertThatThrownBy(() -> open(all(directory), OWNER)).isInstanceOf(StorageException.class);
        }
    }

    @Test
    void aNewerFormatIsToldFromDamage() throws Exception {
        open(all(directory), OWNER).close();
        Files.writeString(directory.resolve("identity"), "tidemark-identity=2\nnobody knows what\n");
        assertThatThrownBy(() -> open(all(directory), OWNER))
                .isInstanceOf(StorageException.UnsupportedVersion.class)
                .hasMessageContaining("too new");
    }

    @Test
    void aLostIdentityIsNotMadeUpAgain() throws Exception {
        open(all(directory), OWNER).close();
        Files.createFile(directory.resolve("raft/anything"));
        Files.delete(directory.resolve("identity"));
        assertRefused(all(directory), OWNER, "has data in raft/", "no file 'identity'");
    }

    @Test
    void aLostPartIsNotReplacedByAnEmptyOne() throws Exception {
        for (String part : List.of("raft", "streams", "manifests")) {
            Path data = directory.resolve("without-" + part);
            open(all(data), OWNER).close();
            Files.delete(data.resolve(part));
            assertRefused(all(data), OWNER, "has lost " + part + "/");
        }
    }

    @Test
    void partsOnDisksOfTheirOwnBelongTogether() throws Exception {
        Roots roots = separate("d", "j", "s");
        open(roots, OWNER).close();
        open(roots, OWNER).close();
        assertThat(Files.readString(roots.journal().resolve("identity"))).contains("holds=journal\n");
        assertThat(Files.readString(roots.store().resolve("identity"))).contains("holds=store\n");
        open(separate("d2", "j2", "s2"), OWNER).close();
        assertRefused(separate("d", "j2", "s"), OWNER, "do not belong together");
        assertRefused(separate("d2", "j2", "s"), OWNER, "do not belong together");
    }

    @Test
    void anEmptyJournalIsNotTakenForTheLostOne() throws Exception {
        open(separate("d", "j", "s"), OWNER).close();
        // As when the journal's disk is not mounted.
        delete(directory.resolve("j"));
        assertRefused(separate("d", "j", "s"), OWNER, directory.resolve("j").toString(), "is empty", "not mounted");
    }

    @Test
    void partsCannotMoveByAChangeOfFlags() throws Exception {
        open(separate("d", "j", "s"), OWNER).close();
        assertRefused(all(directory.resolve("d")), OWNER, "neither journal nor store", "--journal and --store");
        open(all(directory.resolve("e")), OWNER).close();
        assertRefused(separate("e", "j3", "e"), OWNER, "is empty");
    }

    @Test
    void aFirstStartThatWasInterruptedCanBeRepeated() throws Exception {
        Roots roots = separate("d", "j", "s");
        open(roots, OWNER).close();
        // The data directory's identity is written last.
        Files.delete(roots.data().resolve("identity"));
        Files.writeString(roots.data().resolve("identity.tmp"), "half");
        open(roots, OWNER).close();
        open(roots, OWNER).close();
    }

    @Test
    void aFileInTheWayIsNamed() throws Exception {
        Path file = Files.createFile(directory.resolve("file"));
        assertRefused(all(file), OWNER, file.toString(), "is a file, not a directory");
        assertRefused(all(file.resolve("below")), OWNER, file.toString());
    }

    private static void assertRefused(Roots roots, Owner owner, String... words) {
        assertThatThrownBy(() -> DataDirectory.open(roots, owner, () -> new UUID(9, 9)))
                .isInstanceOf(UnusableDirectoryException.class)
                .satisfies((Consumer<Throwable>)
                        refusal -> assertThat(refusal.getMessage()).contains(words));
    }

    private DataDirectory open(Roots roots, Owner owner) throws IOException {
        ids++;
        return DataDirectory.open(roots, owner, () -> new UUID(0, ids));
    }

    private static Roots all(Path data) {
        return new Roots(data, data, data);
    }

    private Roots separate(String data, String journal, String store) {
        return new Roots(directory.resolve(data), directory.resolve(journal), directory.resolve(store));
    }

    private static String mode(Path path) throws IOException {
        return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
    }

    private static void delete(Path tree) throws IOException {
        try (Stream<Path> paths = Files.walk(tree)) {
            for (Path path : paths.sorted(java.util.Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }
}
