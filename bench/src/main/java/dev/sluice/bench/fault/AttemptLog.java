package dev.sluice.bench.fault;

import dev.sluice.bench.relay.Relay;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/// When a relay began its attempts, as its log has it.
final class AttemptLog {

    /// The relay's own configuration, with a line for each attempt instead of the failed ones only.
    static final String LOGBACK =
            """
            <configuration>
              <appender name="console" class="ch.qos.logback.core.ConsoleAppender">
                <target>System.err</target>
                <encoder>
                  <pattern>%d{yyyy-MM-dd'T'HH:mm:ss.SSS'Z',UTC} %-5level %logger{0} %msg %kvp%n%ex</pattern>
                </encoder>
              </appender>
              <logger name="dev.sluice.relay.settle" level="debug"/>
              <logger name="org.flywaydb" level="warn"/>
              <logger name="org.eclipse.jetty" level="warn"/>
              <logger name="org.eclipse.jetty.http" level="error"/>
              <logger name="org.eclipse.jetty.util.HostPort" level="error"/>
              <logger name="com.zaxxer.hikari" level="warn"/>
              <logger name="org.apache.hc" level="warn"/>
              <root level="info"><appender-ref ref="console"/></root>
            </configuration>
            """;

    private AttemptLog() {}

    /// Of a relay that keeps such a log.
    static Map<String, String> settings(Path logback) {
        return Map.of("JAVA_OPTS", "-Dlogback.configurationFile=" + logback);
    }

    static List<Instant> begun(Relay relay) {
        return relay.log("attempt.finished").stream().map(AttemptLog::begun).toList();
    }

    private static Instant begun(String line) {
        long latency = Long.parseLong(line.replaceAll(".*latency_ms=\"?([0-9]+).*", "$1"));
        return Instant.parse(line.substring(0, line.indexOf(' '))).minusMillis(latency);
    }
}
