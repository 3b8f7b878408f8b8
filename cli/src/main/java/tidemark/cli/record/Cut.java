package tidemark.cli.record;

/** What divides the records of an input or an output. */
public enum Cut {
    /** Each record ends with a newline. A carriage return before it belongs to the record. */
    LINE,
    /** Each record ends with a zero byte. */
    NULL,
    /** Nothing does: an input file is one record, records come out one directly after another. */
    NONE
}
