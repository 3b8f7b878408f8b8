package tidemark.server;

import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.slf4j.LoggerFactory;

/** Hands on what libraries log through the JDK (gRPC does), so that it looks as all the rest and stays within its level. */
final class JavaLogging extends Handler {
    private JavaLogging() {}

    /** Once for the process. */
    static void takeOver() {
        LogManager.getLogManager().reset();
        Logger root = Logger.getLogger("");
        root.setLevel(Level.WARNING);
        root.addHandler(new JavaLogging());
    }

    @Override
    public void publish(LogRecord event) {
        if (event.getLevel().intValue() < Level.WARNING.intValue()) {
            return;
        }
        String name = event.getLoggerName() == null ? "java" : event.getLoggerName();
        org.slf4j.Logger logger = LoggerFactory.getLogger(name);
        if (event.getLevel().intValue() >= Level.SEVERE.intValue()) {
            logger.error(event.getMessage(), event.getThrown());
        } else {
            logger.warn(event.getMessage(), event.getThrown());
        }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
}
