package tidemark.server;

/** The version of this software. */
final class Version {
    private Version() {}

    /** As the jar says; {@code development} where there is no jar. */
    static String current() {
        String version = Version.class.getPackage().getImplementationVersion();
        return version == null ? "development" : version;
    }
}
