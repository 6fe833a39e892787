import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.neo4j.configuration.GraphDatabaseSettings;
import org.neo4j.configuration.connectors.BoltConnector;
import org.neo4j.configuration.connectors.ConnectorPortRegister;
import org.neo4j.configuration.connectors.ConnectorType;
import org.neo4j.configuration.helpers.SocketAddress;
import org.neo4j.dbms.api.DatabaseManagementService;
import org.neo4j.dbms.api.DatabaseManagementServiceBuilder;
import org.neo4j.kernel.internal.GraphDatabaseAPI;

/**
 * A whole Neo4j server over a folder, for the tests: prints "bolt PORT" when it is ready, and ends
 * with its standard input. The builder, not the harness's own, because a harness's data goes with it.
 */
public final class Neo4jEngine {
    public static void main(String[] arguments) throws Exception {
        Path home = Path.of(arguments[0]);
        boolean isNew = !Files.exists(home.resolve("data"));
        int port = Integer.parseInt(arguments[1]);
        DatabaseManagementService service =
                new DatabaseManagementServiceBuilder(home)
                        .setConfig(BoltConnector.enabled, true)
                        .setConfig(BoltConnector.listen_address, new SocketAddress("127.0.0.1", port))
                        .setConfig(BoltConnector.advertised_address, new SocketAddress("127.0.0.1", port))
                        .setConfig(GraphDatabaseSettings.auth_enabled, true)
                        .setConfig(GraphDatabaseSettings.pagecache_memory, 256L << 20)
                        .setConfig(GraphDatabaseSettings.check_point_interval_time, Duration.ofMinutes(5))
                        .build();
        if (isNew) {
            String password = System.getenv("NEO4J_ENGINE_PASSWORD");
            service.database("system").executeTransactionally(
                    "ALTER USER neo4j SET PASSWORD $password CHANGE NOT REQUIRED",
                    Map.of("password", password));
        }
        GraphDatabaseAPI database = (GraphDatabaseAPI) service.database("neo4j");
        ConnectorPortRegister ports =
                database.getDependencyResolver().resolveDependency(ConnectorPortRegister.class);
        System.out.println("bolt " + ports.getLocalAddress(ConnectorType.BOLT).getPort());
        System.out.flush();
        while (System.in.read() >= 0) {}
        service.shutdown();
    }
}
