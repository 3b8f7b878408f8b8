package tidemark.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("tidemark.cli");

    @Test
    void packagesDependOneWay() {
        layeredArchitecture()
                .consideringOnlyDependenciesInLayers()
                .layer("process")
                .definedBy("tidemark.cli")
                .layer("command")
                .definedBy("tidemark.cli.command")
                .layer("record")
                .definedBy("tidemark.cli.record")
                .layer("text")
                .definedBy("tidemark.cli.text")
                .whereLayer("process")
                .mayNotBeAccessedByAnyLayer()
                .whereLayer("command")
                .mayOnlyBeAccessedByLayers("process")
                .whereLayer("record")
                .mayOnlyBeAccessedByLayers("command")
                .check(CLASSES);
    }

    @Test
    void serversAreReachedThroughTheClientOnly() {
        noClasses()
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.grpc..", "tidemark.server..")
                .check(CLASSES);
    }

    @Test
    void onlyTheProcessKnowsTheProcess() {
        noClasses()
                .that()
                .resideInAnyPackage("tidemark.cli.command", "tidemark.cli.record", "tidemark.cli.text")
                .should()
                .callMethod(System.class, "exit", int.class)
                .orShould()
                .accessField(System.class, "out")
                .orShould()
                .accessField(System.class, "err")
                .orShould()
                .accessField(System.class, "in")
                .orShould()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(System.class, "getenv", String.class)
                .check(CLASSES);
    }
}
