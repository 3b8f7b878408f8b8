package tidemark.cli.record;

/** A record of the input is over its limit. It was read in part only. */
public final class RecordTooLongException extends Exception {
    private static final long serialVersionUID = 1L;

    public RecordTooLongException(String place, long bytesMax) {
        super(place + " is longer than the limit of " + bytesMax + " bytes for a record");
    }
}
