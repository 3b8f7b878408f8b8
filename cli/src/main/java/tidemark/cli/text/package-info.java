/** What people type and what they read: positions in a stream, spans of time, JSON and tables. Pure functions only. */
@NullMarked
package tidemark.cli.text;

import org.jspecify.annotations.NullMarked;
