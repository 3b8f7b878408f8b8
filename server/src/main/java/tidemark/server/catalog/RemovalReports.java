package tidemark.server.catalog;

import java.io.IOException;
import java.util.List;
import tidemark.statemachine.model.GroupId;

/** Tells the leader of the catalog, on another server, what was removed here. Implemented by the transport. Blocking. */
public interface RemovalReports {
    /** @throws IOException if it did not get there, or that server does not lead: say it again later */
    void removed(String leaderId, List<GroupId> groups) throws IOException;
}
