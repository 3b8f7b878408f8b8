package tidemark.server;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/**
 * Signals of the operating system. The JDK's class for them is no part of the platform's specification (and javac warns of it, which
 * the build refuses), hence reflection; where it is missing, the JVM's own shutdown on a signal remains.
 */
final class Signals {
    private static final String SIGNAL = "sun.misc.Signal";
    private static final String HANDLER = "sun.misc.SignalHandler";

    private Signals() {}

    /**
     * Has a signal run something instead of ending the process; each time it comes, on a thread of its own.
     *
     * @param name without SIG: {@code TERM}
     * @return whether that is possible here
     */
    static boolean handle(String name, Runnable action) {
        try {
            Class<?> signalType = Class.forName(SIGNAL);
            Class<?> handlerType = Class.forName(HANDLER);
            Object handler = Proxy.newProxyInstance(
                    Signals.class.getClassLoader(), new Class<?>[] {handlerType}, (proxy, method, arguments) -> {
                        if (method.getName().equals("handle")) {
                            action.run();
                            return null;
                        }
                        return method.getName().equals("hashCode")
                                ? (Object) System.identityHashCode(proxy)
                                : (Object) false;
                    });
            signalType
                    .getMethod("handle", signalType, handlerType)
                    .invoke(null, signalType.getConstructor(String.class).newInstance(name), handler);
            return true;
        } catch (ClassNotFoundException
                | NoSuchMethodException
                | InstantiationException
                | IllegalAccessException
                | InvocationTargetException notHere) {
            // Also where the JVM was told to leave signals alone (-Xrs).
            return false;
        }
    }
}
