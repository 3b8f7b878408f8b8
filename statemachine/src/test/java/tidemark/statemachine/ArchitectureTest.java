package tidemark.statemachine;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The engine computes: what it depends on, and in which direction. Outside its door to the disk it sees nothing of the machine. */
class ArchitectureTest {
    private static final String ROOT = "tidemark.statemachine";
    private static final String DOOR = ROOT + ".env..";

    /** Each package may use those that stand before it. */
    private static final List<String> ORDER =
            List.of("model", "env", "format", "segment", "manifest", "read", "machine", "catalog", "inspect");

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(ROOT);

    @Test
    void dependenciesGoOneWay() {
        for (int i = 0; i < ORDER.size(); i++) {
            String[] above = ORDER.subList(i + 1, ORDER.size()).stream()
                    .map(name -> ROOT + "." + name + "..")
                    .toArray(String[]::new);
            noClasses()
                    .that()
                    .resideInAPackage(ROOT + "." + ORDER.get(i) + "..")
                    .should()
                    .dependOnClassesThat()
                    .resideInAnyPackage(above)
                    // The last packages may not exist yet.
                    .allowEmptyShould(true)
                    .check(CLASSES);
        }
    }

    @Test
    void everyPackageHasItsPlaceInTheOrder() {
        noClasses()
                .should()
                .resideOutsideOfPackages(
                        ORDER.stream().map(name -> ROOT + "." + name).toArray(String[]::new))
                .check(CLASSES);
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching(ROOT + ".(*)..").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void onlyTheJdkAndOwnMessagesAreUsed() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideOutsideOfPackages(
                        "java..",
                        ROOT + "..",
                        "tidemark.engine.proto..",
                        "com.google.protobuf..",
                        "com.google.errorprone.annotations..",
                        "org.jspecify.annotations..")
                .check(CLASSES);
    }

    @Test
    void filesAreReachedThroughTheDoorAlone() {
        noClasses()
                .that()
                .resideOutsideOfPackage(DOOR)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("java.nio.file..", "java.nio.channels..", "java.net..")
                .orShould()
                .dependOnClassesThat()
                .haveNameMatching("java\\.io\\.(File.*|RandomAccessFile|PrintStream|Console)")
                .check(CLASSES);
    }

    @Test
    void thereAreNoThreadsAndNoLogger() {
        noClasses()
                .that()
                .resideOutsideOfPackage(DOOR)
                .should()
                .dependOnClassesThat()
                .haveNameMatching("java\\.lang\\.(Thread|ThreadGroup|Process.*|Runtime)")
                .orShould()
                .dependOnClassesThat()
                .haveNameMatching("java\\.util\\.(Timer.*|logging\\..*)")
                .orShould()
                .dependOnClassesThat()
                .haveNameMatching(
                        "java\\.util\\.concurrent\\.(.*Executor.*|ForkJoin.*|CompletableFuture|Future.*|.*Queue)")
                .orShould()
                .dependOnClassesThat()
                .haveNameMatching("java\\.lang\\.System\\$Logger.*")
                .check(CLASSES);
    }

    @Test
    void thereIsNoClockAndNoRandomness() {
        DescribedPredicate<JavaAccess<?>> clockOrRandomness = Stream.of(
                        callOf(System.class, "nanoTime|currentTimeMillis"),
                        callOf(UUID.class, "randomUUID"),
                        callOf(Math.class, "random"),
                        callOf(Instant.class, "now"),
                        callOf(LocalDate.class, "now"),
                        callOf(LocalDateTime.class, "now"),
                        callOf(ZonedDateTime.class, "now"),
                        callOf(Clock.class, "system.*"),
                        callOf(ThreadLocalRandom.class, ".*"),
                        callOf(Random.class, "<init>"),
                        callOf(SplittableRandom.class, "<init>"),
                        callOf(SecureRandom.class, "<init>"))
                .reduce((one, other) -> one.or(other))
                .orElseThrow();
        noClasses().should().accessTargetWhere(clockOrRandomness).check(CLASSES);
    }

    private static DescribedPredicate<JavaAccess<?>> callOf(Class<?> type, String names) {
        return DescribedPredicate.describe(
                type.getSimpleName() + "." + names,
                access -> access.getTargetOwner().isEquivalentTo(type)
                        && access.getTarget().getName().matches(names));
    }
}
