package tidemark.server;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/** The directions between the server's packages, and which third-party types may be seen where. */
class ArchitectureTest {
    private static final String ROOT = "tidemark.server";

    /** Each package may use those that stand before it, and the engine. The wiring, in the root package, uses all. */
    private static final List<List<String>> ORDER = List.of(
            List.of("config", "storage"),
            List.of("raft"),
            List.of("batch"),
            List.of("catalog"),
            List.of("grpc"),
            List.of("metrics"));

    /** Where third-party types stop. */
    private static final Map<String, List<String>> HOMES = Map.of(
            "org.apache.ratis..", List.of(ROOT + ".raft"),
            "io.grpc..", List.of(ROOT + ".grpc"),
            "io.netty..", List.of(ROOT + ".grpc"),
            "tidemark.v1..", List.of(ROOT + ".grpc"),
            "tidemark.client..", List.of(),
            "tidemark.peer.proto..", List.of(ROOT + ".grpc"),
            // Batches are put into the engine's entries without copying.
            "com.google.protobuf..", List.of(ROOT + ".grpc", ROOT + ".batch"),
            "com.codahale.metrics..", List.of(ROOT + ".metrics"),
            "com.sun.net.httpserver..", List.of(ROOT + ".metrics"),
            "picocli..", List.of(ROOT));

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages(ROOT);

    @Test
    void dependenciesGoOneWay() {
        for (int i = 0; i < ORDER.size(); i++) {
            for (String name : ORDER.get(i)) {
                String[] above = ORDER.subList(i, ORDER.size()).stream()
                        .flatMap(List::stream)
                        .filter(other -> !other.equals(name))
                        .map(other -> ROOT + "." + other + "..")
                        .toArray(String[]::new);
                noClasses()
                        .that()
                        .resideInAPackage(ROOT + "." + name + "..")
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage(above)
                        .orShould()
                        .dependOnClassesThat()
                        .resideInAPackage(ROOT)
                        .check(CLASSES);
            }
        }
    }

    @Test
    void packagesHaveNoCycles() {
        slices().matching(ROOT + ".(*)..").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void everyPackageHasItsPlaceInTheOrder() {
        noClasses()
                .should()
                .resideOutsideOfPackages(java.util.stream.Stream.concat(
                                java.util.stream.Stream.of(ROOT),
                                ORDER.stream().flatMap(List::stream).map(name -> ROOT + "." + name))
                        .toArray(String[]::new))
                .check(CLASSES);
    }

    @Test
    void thirdPartyTypesStopAtTheirPackage() {
        HOMES.forEach((thirdParty, homes) -> noClasses()
                .that(resideOutside(homes))
                .should()
                .dependOnClassesThat()
                .resideInAPackage(thirdParty)
                .check(CLASSES));
    }

    @Test
    void theLoggingLibraryIsKnownToTheWiringAloneBehindItsFacade() {
        noClasses()
                .that(resideOutside(List.of(ROOT)))
                .should()
                .dependOnClassesThat()
                .resideInAPackage("ch.qos.logback..")
                .check(CLASSES);
    }

    @Test
    void clocksAndRandomnessComeFromTheWiring() {
        DescribedPredicate<JavaAccess<?>> clockOrRandomness = callOf(System.class, "nanoTime|currentTimeMillis")
                .or(callOf(Thread.class, "sleep"))
                .or(callOf(UUID.class, "randomUUID"))
                .or(callOf(Math.class, "random"))
                .or(callOf(Instant.class, "now"))
                .or(callOf(LocalDate.class, "now"))
                .or(callOf(LocalDateTime.class, "now"))
                .or(callOf(ZonedDateTime.class, "now"))
                .or(callOf(Clock.class, "system.*"))
                .or(callOf(ThreadLocalRandom.class, ".*"))
                .or(callOf(Random.class, "<init>"))
                .or(callOf(SplittableRandom.class, "<init>"))
                .or(callOf(java.security.SecureRandom.class, "<init>"))
                .as("a clock or randomness");
        noClasses()
                .that(resideOutside(List.of(ROOT)))
                .should()
                .accessTargetWhere(clockOrRandomness)
                .check(CLASSES);
    }

    private static DescribedPredicate<JavaClass> resideOutside(List<String> packages) {
        return DescribedPredicate.describe(
                "reside outside of " + packages, type -> !packages.contains(type.getPackageName()));
    }

    private static DescribedPredicate<JavaAccess<?>> callOf(Class<?> type, String names) {
        return DescribedPredicate.describe(
                type.getSimpleName() + "." + names,
                access -> access.getTargetOwner().isEquivalentTo(type)
                        && access.getTarget().getName().matches(names));
    }
}
