package dev.sluice.platform.trace;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.spi.ConfigurationException;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import io.opentelemetry.sdk.trace.samplers.SamplingDecision;

import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/// Exports spans with OpenTelemetry's SDK, configured by OpenTelemetry's own settings. The SDK
/// sends spans in batches, on a separate thread.
final class OtlpSpanExporter implements SpanExporter {

    /// The settings that apply unless the operator overrides them.
    private static final Map<String, String> DEFAULTS =
            Map.of(
                    "otel.service.name", "sluice",
                    "otel.exporter.otlp.protocol", "http/protobuf",
                    "otel.metrics.exporter", "none",
                    "otel.logs.exporter", "none");

    private static final long CLOSE_TIMEOUT_SECONDS = 10;

    private final PresetIds ids;
    private final OpenTelemetrySdk sdk;
    private final Tracer tracer;

    /// The sampler from the operator's settings, which decides which traces are recorded. The SDK
    /// itself gets a sampler that records everything, because `record` passes it only spans whose
    /// traces are to be recorded.
    private final Sampler sampler;

    private OtlpSpanExporter(OpenTelemetrySdk sdk, PresetIds ids, Sampler sampler) {
        this.sdk = sdk;
        this.ids = ids;
        this.sampler = sampler;
        this.tracer = sdk.getTracer("sluice");
    }

    static OtlpSpanExporter open(Map<String, String> settings) {
        var properties = new HashMap<>(DEFAULTS);
        settings.forEach((name, value) ->
                properties.put(name.toLowerCase(Locale.ROOT).replace('_', '.'), value));
        var ids = new PresetIds();
        var sampler = new AtomicReference<>(Sampler.alwaysOn());
        SdkLogHandler.install();
        try {
            var configured =
                    AutoConfiguredOpenTelemetrySdk.builder()
                            .disableShutdownHook()
                            .addPropertiesSupplier(() -> properties)
                            .addSamplerCustomizer((chosen, _) -> {
                                sampler.set(chosen);
                                return Sampler.alwaysOn();
                            })
                            .addTracerProviderCustomizer(
                                    (provider, _) -> provider.setIdGenerator(ids))
                            .build();
            return new OtlpSpanExporter(configured.getOpenTelemetrySdk(), ids, sampler.get());
        } catch (ConfigurationException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    @Override
    public boolean isSampled(String id) {
        var decision =
                sampler.shouldSample(
                        Context.root(), id, "", SpanKind.INTERNAL, Attributes.empty(), List.of());
        return decision.getDecision() == SamplingDecision.RECORD_AND_SAMPLE;
    }

    @Override
    public void record(Span span) {
        if (!span.context().isSampled()) {
            return;
        }
        var builder =
                tracer.spanBuilder(span.name())
                        .setParent(parent(span))
                        .setSpanKind(
                                switch (span.role()) {
                                    case SERVER -> SpanKind.SERVER;
                                    case INTERNAL -> SpanKind.INTERNAL;
                                    case CLIENT -> SpanKind.CLIENT;
                                })
                        .setStartTimestamp(span.start());
        span.attributes()
                .forEach((name, value) -> {
                    if (value instanceof Number number) {
                        builder.setAttribute(AttributeKey.longKey(name), number.longValue());
                    } else {
                        builder.setAttribute(name, value.toString());
                    }
                });
        var started = ids.with(span.context(), builder::startSpan);
        span.error().ifPresent(error -> started.setStatus(StatusCode.ERROR, error));
        started.end(span.end());
    }

    private static Context parent(Span span) {
        return span.parentId()
                .map(id ->
                        SpanContext.createFromRemoteParent(
                                span.context().traceId(),
                                id,
                                TraceFlags.getSampled(),
                                TraceState.getDefault()))
                .map(context -> Context.root().with(io.opentelemetry.api.trace.Span.wrap(context)))
                .orElse(Context.root());
    }

    @Override
    public void close() {
        sdk.shutdown().join(CLOSE_TIMEOUT_SECONDS, TimeUnit.SECONDS);
    }
}
