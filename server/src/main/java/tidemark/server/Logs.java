package tidemark.server;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import org.slf4j.ILoggerFactory;
import org.slf4j.LoggerFactory;

/** The logging library's settings. What the format is, {@code logback.xml} says. */
final class Logs {
    private Logs() {}

    /** @param level error, warn, info or debug; libraries are never more talkative than warn */
    static void setLevel(String level) {
        ILoggerFactory factory = LoggerFactory.getILoggerFactory();
        if (factory instanceof LoggerContext context) {
            Level wanted = Level.toLevel(level, Level.INFO);
            context.getLogger("tidemark").setLevel(wanted);
            context.getLogger(Logger.ROOT_LOGGER_NAME)
                    .setLevel(wanted.isGreaterOrEqual(Level.WARN) ? wanted : Level.WARN);
        }
    }

    /** Writes out what is buffered. Nothing can be logged after that. */
    static void close() {
        if (LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            context.stop();
        }
    }
}
