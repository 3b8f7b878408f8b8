package tidemark.statemachine.inspect;

import java.util.List;
import java.util.Optional;
import tidemark.statemachine.format.SegmentHeader;

/**
 * What was found in a segment file.
 *
 * @param bytes that were looked at
 * @param header empty if it is damaged, or of another version; then nothing else was looked at
 * @param frames how many, damaged bodies included
 * @param endOffset offset after the last frame; the base offset if there is none
 * @param lastTimestampMs of the last frame; 0 if there is none
 */
public record SegmentReport(
        String path,
        long bytes,
        Optional<SegmentHeader> header,
        long frames,
        long endOffset,
        long lastTimestampMs,
        List<Finding> findings) {
    /** Whether all that counts can be read. */
    public boolean isSound() {
        return findings.stream().allMatch(finding -> finding.kind() == Finding.Kind.NOTE);
    }
}
