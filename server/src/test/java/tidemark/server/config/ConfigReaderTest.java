package tidemark.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tidemark.server.config.ServerConfig.Addresses;
import tidemark.server.config.ServerConfig.Limits;
import tidemark.server.config.ServerConfig.Storage;
import tidemark.server.config.ServerConfig.Timing;
import tidemark.statemachine.catalog.ServerEntry;

class ConfigReaderTest {
    private static final long MIB = 1L << 20;

    @Test
    void withoutAnySettingItIsAClusterOfOneOnLoopback() throws Exception {
        ServerConfig config = read(Map.of());
        assertThat(config.cluster().members()).containsExactly(new ServerEntry("n1", "127.0.0.1", 7420, 7421));
        assertThat(config.cluster().name()).isEqualTo("tidemark");
        assertThat(config.addresses()).isEqualTo(new Addresses("127.0.0.1", 7420, 7421, 7422));
        Path data = Path.of("tidemark-data").toAbsolutePath();
        assertThat(config.directories()).isEqualTo(new ServerConfig.Directories(data, data, data));
        assertThat(config.storage()).isEqualTo(new Storage(64 * MIB, 64 * MIB, Duration.ofSeconds(60), 32 * MIB));
        assertThat(config.limits()).isEqualTo(new Limits(128 * MIB, 32 * MIB));
        assertThat(config.timing()).isEqualTo(new Timing(Duration.ofSeconds(1), Duration.ofSeconds(10)));
        assertThat(config.logLevel()).isEqualTo("info");
    }

    @Test
    void aClusterListGivesThisServersAddresses() throws Exception {
        ServerConfig config = read(Map.of(Setting.ID, "b", Setting.CLUSTER, "c=h3:1:2, a=h1 ,b=[::1]:7430:7431"));
        assertThat(config.cluster().members())
                .containsExactly(
                        new ServerEntry("a", "h1", 7420, 7421),
                        new ServerEntry("b", "::1", 7430, 7431),
                        new ServerEntry("c", "h3", 1, 2));
        assertThat(config.cluster().self().id()).isEqualTo("b");
        assertThat(config.addresses()).isEqualTo(new Addresses("::1", 7430, 7431, 7422));
    }

    @Test
    void aSingleServerOnAllAddressesIsReachedOnLoopback() throws Exception {
        assertThat(read(Map.of(Setting.LISTEN, "0.0.0.0")).cluster().self().host())
                .isEqualTo("127.0.0.1");
        assertThat(read(Map.of(Setting.LISTEN, "[::]")).cluster().self().host()).isEqualTo("::1");
        assertThat(read(Map.of(Setting.LISTEN, "[::]")).addresses().listen()).isEqualTo("::");
    }

    @Test
    void aPortFlagThatSaysTheSameAsTheListIsFine() throws Exception {
        ServerConfig config = read(Map.of(Setting.CLUSTER, "n1=h:7430:7431", Setting.CLIENT_PORT, "7430"));
        assertThat(config.addresses().clientPort()).isEqualTo(7430);
    }

    @Test
    void flagsWinOverTheFileAndTheFileOverTheEnvironment() throws Exception {
        Map<Setting, Given> flags = given(Map.of(Setting.ID, "flag"));
        Map<Setting, Given> file =
                given(Map.of(Setting.ID, "file", Setting.CLUSTER_NAME, "file", Setting.LOG_LEVEL, "WARN"));
        ServerConfig config = ConfigReader.read(flags, file, Optional.of(new Given("debug", "environment")));
        assertThat(config.cluster().serverId()).isEqualTo("flag");
        assertThat(config.cluster().name()).isEqualTo("file");
        assertThat(config.logLevel()).isEqualTo("warn");
    }

    @Test
    void aSmallerWholeMakesThePartSmaller() throws Exception {
        assertThat(read(Map.of(Setting.PENDING_BYTES, "8MiB")).limits()).isEqualTo(new Limits(8 * MIB, 8 * MIB));
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1B, 1", "2KiB, 2048", "3 MiB, 3145728", "1gib, 1073741824", "1TiB, 1099511627776"})
    void bytesHaveUnits(String written, long expected) throws Exception {
        assertThat(Values.bytes(new Given(written, "x"), 0, Long.MAX_VALUE)).isEqualTo(expected);
    }

    @ParameterizedTest
    @CsvSource({"1ms, 1", "2s, 2000", "3m, 180000", "1h, 3600000"})
    void timesHaveUnits(String written, long expectedMillis) throws Exception {
        assertThat(Values.duration(new Given(written, "x"), Duration.ZERO, Duration.ofDays(1)))
                .isEqualTo(Duration.ofMillis(expectedMillis));
    }

    /** Each: what is set, and what the message must say. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "id=a b | --id: must be 1 to 63 letters",
                "id=x; cluster=a=h | --cluster: does not name this server, x; add it, or set --id to one of a",
                "cluster-name=a/b | --cluster-name: must be 1 to 63 letters",
                "cluster=n1 | --cluster: 'n1' is not ID=HOST",
                "cluster==h | is not ID=HOST",
                "cluster=n1= | is not ID=HOST",
                "cluster=n1=h: | a port is 1 to 65535, not ''",
                "cluster=n1=h:0 | a port is 1 to 65535, not '0'",
                "cluster=n1=h:65536 | a port is 1 to 65535, not '65536'",
                "cluster=n1=h:x | a port is 1 to 65535, not 'x'",
                "cluster=n1=h:1:2:3 | too many colons",
                "cluster=n1=::1 | is not ID=HOST",
                "cluster=n1=[::1 | is not ID=HOST",
                "cluster=n1=[::1]7420 | is not ID=HOST",
                "cluster=n1=[zz]:1 | is not an IPv6 address",
                "cluster=n1=-h | is not a host name",
                "cluster=n1=h:1:1 | client port and Raft port must differ",
                "cluster=n1=h, | '' is not ID=HOST",
                "cluster=n1=h1,n2=h2 | names 2 servers; a cluster has 1, 3 or 5",
                "cluster=n1=h1,n2=h2,n3=h3,n4=h4,n5=h5,n6=h6,n7=h7 | names 7 servers; a cluster has 1, 3 or 5",
                "cluster=n1=h1,n1=h2,n3=h3 | names server n1 twice",
                "cluster=n1=h1,n2=h1,n3=h3 | names h1:7420 twice",
                "cluster=n1=h:1:2; client-port=7430 | --client-port: 7430 contradicts cluster, where this server has port 1",
                "cluster=n1=h; raft-port=7430 | --raft-port: 7430 contradicts cluster",
                "client-port=70000 | --client-port: must be a port, 1 to 65535, not '70000'",
                "client-port=0 | --client-port: must be a port",
                "client-port=7421 | must differ from client-port, 7421",
                "raft-port=7420 | --raft-port: must differ from client-port, 7420",
                "http-port=7420 | is already the client or Raft port",
                "http-port=-1 | --http-port: must be a port, 0 to 65535",
                "listen=a b | --listen: 'a b' is not a host name",
                "segment-bytes=1 | --segment-bytes: must be 64KiB to 1GiB, not 1",
                "segment-bytes=64Mb | must be a number of bytes like",
                "segment-bytes=9999999TiB | must be 64KiB to 1GiB",
                "checkpoint-bytes=-1 | must be a number of bytes like",
                "checkpoint-interval=10 | must be a time like",
                "checkpoint-interval=2h | must be 1s to 1h, not 2h",
                "pending-bytes=1MiB | must be 4MiB to 64GiB",
                "group-pending-bytes=1GiB | must be 4MiB to 128MiB",
                "election-timeout=1ms | must be 300ms to 1m",
                "drain-time=11m | must be 0ms to 10m",
                "log-level=loud | must be error, warn, info or debug, not 'loud'",
            })
    void whatIsWrongIsSaidWithItsPlace(String assignments, String message) {
        Map<Setting, String> settings = new EnumMap<>(Setting.class);
        for (String assignment : assignments.split("; ", -1)) {
            int equals = assignment.indexOf('=');
            settings.put(Setting.of(assignment.substring(0, equals)).orElseThrow(), assignment.substring(equals + 1));
        }
        assertThatThrownBy(() -> read(settings))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining(message);
    }

    @Test
    void controlCharactersOfBadInputDoNotReachTheMessage() {
        assertThatThrownBy(() -> read(Map.of(Setting.ID, "a\u001b[31m\nb".repeat(50))))
                .isInstanceOf(ConfigException.class)
                .hasMessageNotContainingAny("\u001b", "\n");
    }

    private static ServerConfig read(Map<Setting, String> flags) throws ConfigException {
        return ConfigReader.read(given(flags), Map.of(), Optional.empty());
    }

    private static Map<Setting, Given> given(Map<Setting, String> values) {
        Map<Setting, Given> given = new EnumMap<>(Setting.class);
        values.forEach((setting, value) -> given.put(setting, new Given(value, setting.flag())));
        return given;
    }

    @Test
    void membersAreListedInOneOrder() throws Exception {
        assertThat(read(Map.of(Setting.CLUSTER, "n3=a,n1=b,n2=c")).cluster().members())
                .extracting(ServerEntry::id)
                .isEqualTo(List.of("n1", "n2", "n3"));
    }
}
