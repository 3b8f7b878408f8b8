package tidemark.statemachine.inspect;

import tidemark.statemachine.manifest.GroupState;
import tidemark.statemachine.model.LogPosition;

/**
 * What is in the manifest of a stream group.
 *
 * @param position of the last entry that it covers
 * @param bytes of the file
 */
public record ManifestReport(String path, LogPosition position, long bytes, GroupState state) {}
