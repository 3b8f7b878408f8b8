/** Bytes to records and back: cutting an input into payloads, printing payloads so that what was appended comes back. */
@NullMarked
package tidemark.cli.record;

import org.jspecify.annotations.NullMarked;
