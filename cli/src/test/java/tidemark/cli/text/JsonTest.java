package tidemark.cli.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {
    @Test
    void fieldsComeOutInOrderOfAddition() {
        Json json = new Json()
                .add("text", "a")
                .add("none", (String) null)
                .add("number", -7L)
                .add("flag", true)
                .addStrings("list", List.of("x", "y"))
                .addStrings("map", Map.of("k", "v"))
                .addObjects("objects", List.of(new Json().add("a", 1), new Json()));

        assertThat(json)
                .hasToString("{\"text\":\"a\",\"none\":null,\"number\":-7,\"flag\":true,\"list\":[\"x\",\"y\"],"
                        + "\"map\":{\"k\":\"v\"},\"objects\":[{\"a\":1},{}]}");
    }

    @Test
    void whatCouldEndAStringALineOrDriveATerminalIsEscaped() {
        assertThat(new Json().add("t", "\"\\\n\r\t\0\u001b\u007f\u009b\u2028é"))
                .hasToString("{\"t\":\"\\\"\\\\\\n\\r\\t\\u0000\\u001b\\u007f\\u009b\\u2028é\"}");
    }

    @Test
    void charactersBeyondTheBasicPlaneAreEscapedAsPairs() {
        assertThat(new Json().add("t", "😀")).hasToString("{\"t\":\"\\ud83d\\ude00\"}");
    }

    @Test
    void validUtf8StaysText() {
        assertThat(new Json().addBytes("p", ByteBuffer.wrap("grün".getBytes(StandardCharsets.UTF_8))))
                .hasToString("{\"p\":\"grün\",\"p_encoding\":\"utf8\"}");
        assertThat(new Json().addBytes("p", ByteBuffer.allocate(0)))
                .hasToString("{\"p\":\"\",\"p_encoding\":\"utf8\"}");
    }

    @Test
    void otherBytesBecomeBase64() {
        ByteBuffer bytes = ByteBuffer.wrap(new byte[] {(byte) 0xff, 0, (byte) 0xfe});

        assertThat(new Json().addBytes("p", bytes)).hasToString("{\"p\":\"/wD+\",\"p_encoding\":\"base64\"}");
        assertThat(bytes.remaining()).isEqualTo(3);
    }

    @Test
    void encodedSurrogatesAreNotText() {
        ByteBuffer loneSurrogate = ByteBuffer.wrap(new byte[] {(byte) 0xed, (byte) 0xa0, (byte) 0x80});

        assertThat(new Json().addBytes("p", loneSurrogate)).hasToString("{\"p\":\"7aCA\",\"p_encoding\":\"base64\"}");
    }
}
