package tidemark.server.storage;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class MountCheckTest {
    private static final List<String> MOUNTS = List.of(
            "/dev/a / ext4 rw,relatime 0 0",
            "tmpfs /run tmpfs rw 0 0",
            "/dev/b /fast ext4 rw,nobarrier,data=writeback 0 0",
            "/dev/c /fast/but/safe xfs rw 0 0",
            "/dev/d /with\\040space ext3 rw,barrier=0 0 0",
            "tmpfs /twice tmpfs rw 0 0",
            "/dev/e /twice ext4 rw 0 0",
            "malformed");

    @Test
    void whatKeepsItsPromiseIsNotMentioned() {
        for (String safe : List.of("/", "/data", "/runner", "/fast/but/safe/data", "/twice/data")) {
            assertThat(MountCheck.warning(MOUNTS, Path.of(safe))).as(safe).isEmpty();
        }
    }

    @Test
    void memoryIsCalledMemory() {
        assertThat(MountCheck.warning(MOUNTS, Path.of("/run/tidemark")).orElse(""))
                .contains("/run/tidemark", "in memory (tmpfs)");
    }

    @Test
    void optionsThatWeakenDurabilityAreNamed() {
        assertThat(MountCheck.warning(MOUNTS, Path.of("/fast/data")).orElse("")).contains("nobarrier,data=writeback");
        assertThat(MountCheck.warning(MOUNTS, Path.of("/with space/data")).orElse(""))
                .contains("barrier=0");
    }

    @Test
    void nothingIsSaidWhereNothingIsKnown() {
        assertThat(MountCheck.warning(List.of(), Path.of("/data"))).isEmpty();
    }
}
