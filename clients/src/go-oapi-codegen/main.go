// A journey with a client that oapi-codegen makes.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"sort"
	"strings"
	"time"

	"github.com/oapi-codegen/runtime/types"

	"sluice/journey/client"
)

const order = `{"type":"order.paid","total":9}`

func main() {
	if err := journey(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	fmt.Println("done")
}

func journey(baseURL, key, receiver string) error {
	ctx := context.Background()
	api, err := client.NewClientWithResponses(baseURL, client.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer "+key)
		return nil
	}))
	if err != nil {
		return err
	}

	// Create.
	source, err := api.CreateSourceWithResponse(ctx, nil, client.SourceCreate{Name: "Shop"})
	if err := made(err, source.JSON201, source); err != nil {
		return err
	}
	destination, err := api.CreateDestinationWithResponse(ctx, nil, client.DestinationCreate{
		Name: "App", Url: receiver, TimeoutMs: to(4321), MaxInFlight: to(7), CustomHeaders: &client.CustomHeadersInput{"X-A": "b"},
	})
	if err := made(err, destination.JSON201, destination); err != nil {
		return err
	}

	// A PATCH of one field changes nothing else.
	renamed, err := api.UpdateDestinationWithResponse(ctx, destination.JSON201.Id, nil, client.DestinationUpdate{Name: to("Renamed")})
	if err := made(err, renamed.JSON200, renamed); err != nil {
		return err
	}
	now := renamed.JSON200
	if err := same([]any{"Renamed", 4321, 7, "b"}, []any{now.Name, now.TimeoutMs, now.MaxInFlight, now.CustomHeaders["X-A"]}); err != nil {
		return err
	}

	// A filter with a rule and a group, and a transformation, read back with their types.
	filter := client.FilterRulesInput{Operator: "and", Rules: []client.FilterRuleOrGroupInput{
		{Path: to("body.type"), Op: to(client.FilterRuleOrGroupInputOp("in")), Value: []string{"order.created", "order.paid"}},
		{Operator: to(client.FilterRuleOrGroupInputOperator("or")), Rules: &[]client.FilterRuleInput{
			{Path: "body.total", Op: "gt", Value: 5},
			{Path: "headers.X-Test", Op: "exists", Value: true},
		}},
	}}
	connection, err := api.CreateConnectionWithResponse(ctx, nil, client.ConnectionCreate{
		SourceId: source.JSON201.Id, DestinationId: destination.JSON201.Id, FilterRules: &filter,
		Transformation: &client.TransformationInput{
			SetHeaders:      &[]client.HeaderAssignmentInput{{Name: "X-Event", Value: "{{event.id}}"}},
			MergeBodyFields: &map[string]any{"seen": true},
		},
	})
	if err := made(err, connection.JSON201, connection); err != nil {
		return err
	}
	id := connection.JSON201.Id
	read, err := api.GetConnectionWithResponse(ctx, id)
	if err := made(err, read.JSON200, read); err != nil {
		return err
	}
	if err := same([]any{"body.total", "X-Event"}, []any{(*read.JSON200.FilterRules.Rules[1].Rules)[0].Path, (*read.JSON200.Transformation.SetHeaders)[0].Name}); err != nil {
		return err
	}
	again, err := api.UpdateConnectionWithResponse(ctx, id, nil, client.ConnectionUpdate{FilterRules: &filter})
	if err := made(err, again.JSON200, again); err != nil {
		return err
	}
	if err := same("{{event.id}}", (*again.JSON200.Transformation.SetHeaders)[0].Value); err != nil {
		return err
	}

	// A list, in pages.
	page, err := api.ListSourcesWithResponse(ctx, &client.ListSourcesParams{Q: to("shop"), Page: to(1), Limit: to(1)})
	if err := made(err, page.JSON200, page); err != nil {
		return err
	}
	if err := same(1, len(page.JSON200.Items)); err != nil {
		return err
	}

	// A typed error.
	refused, err := api.CreateDestinationWithResponse(ctx, nil, client.DestinationCreate{Name: "", Url: "ftp://example.com/"})
	if err := made(err, refused.JSON422, refused); err != nil {
		return err
	}
	var fields []string
	for _, detail := range *refused.JSON422.Error.Details {
		fields = append(fields, detail.Field)
	}
	sort.Strings(fields)
	if err := same([]any{"validation_failed", "name,url"}, []any{string(refused.JSON422.Error.Code), strings.Join(fields, ",")}); err != nil {
		return err
	}

	// A dry run, and a webhook with its delivery.
	preview, err := api.PreviewConnectionWithResponse(ctx, client.PreviewRequest{ConnectionId: &id, Sample: &client.PreviewSample{Body: to(order)}})
	if err := made(err, preview.JSON200, preview); err != nil {
		return err
	}
	if err := same([]any{true, 2, "POST"}, []any{*preview.JSON200.Passes, len(preview.JSON200.Rules), string(preview.JSON200.Request.Method)}); err != nil {
		return err
	}
	eventID, err := send(baseURL + source.JSON201.IngestPath)
	if err != nil {
		return err
	}
	event, err := api.GetEventWithResponse(ctx, eventID, nil)
	if err := made(err, event.JSON200, event); err != nil {
		return err
	}
	if err := same([]any{"PUT", 1, to(order)}, []any{string(event.JSON200.Method), len(event.JSON200.Deliveries), event.JSON200.Body}); err != nil {
		return err
	}

	// Resends.
	resent, err := api.ResendEventWithResponse(ctx, eventID, nil, client.ResendRequest{})
	if err := made(err, resent.JSON202, resent); err != nil {
		return err
	}
	if err := same(1, resent.JSON202.Created); err != nil {
		return err
	}
	dryRun, err := api.ResendDeliveriesWithResponse(ctx, nil, client.BulkResendRequest{ConnectionId: id, DryRun: to(true)})
	if err := made(err, dryRun.JSON200, dryRun); err != nil {
		return err
	}
	if err := same([]any{true, 0, 0}, []any{*dryRun.JSON200.DryRun, dryRun.JSON200.Created, *dryRun.JSON200.WouldCreate}); err != nil {
		return err
	}
	if err := awaitDeliveries(ctx, api, eventID); err != nil {
		return err
	}
	bulk, err := api.ResendDeliveriesWithResponse(ctx, nil, client.BulkResendRequest{ConnectionId: id, Statuses: &[]client.ReplayableStatus{"succeeded"}})
	if err := made(err, bulk.JSON202, bulk); err != nil {
		return err
	}
	if err := same(1, bulk.JSON202.Created); err != nil {
		return err
	}

	// A stream: the plain call, because the one WithResponse reads to the end.
	stream, err := api.TailSource(ctx, source.JSON201.Id, &client.TailSourceParams{After: to(eventID.String())})
	if err != nil {
		return err
	}
	defer stream.Body.Close()
	for lines := bufio.NewScanner(stream.Body); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "event:") {
			return same("event: ready", lines.Text())
		}
	}
	return fmt.Errorf("the stream ended")
}

// Waits until all deliveries of an event have succeeded, at most 30 s.
func awaitDeliveries(ctx context.Context, api *client.ClientWithResponses, id types.UUID) error {
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		event, err := api.GetEventWithResponse(ctx, id, nil)
		if err := made(err, event.JSON200, event); err != nil {
			return err
		}
		done := 0
		for _, delivery := range event.JSON200.Deliveries {
			if delivery.Status == "succeeded" {
				done++
			}
		}
		if done == len(event.JSON200.Deliveries) {
			return nil
		}
	}
	return fmt.Errorf("the deliveries should succeed")
}

// Sends a webhook, as a sender does, and returns the event's id.
func send(url string) (types.UUID, error) {
	var accepted client.IngestAccepted
	request, err := http.NewRequest("PUT", url, strings.NewReader(order))
	if err != nil {
		return accepted.RequestId, err
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return accepted.RequestId, err
	}
	defer answer.Body.Close()
	err = json.NewDecoder(answer.Body).Decode(&accepted)
	return accepted.RequestId, err
}

func to[T any](value T) *T {
	return &value
}

func made[T any](err error, result *T, answer interface{ Status() string }) error {
	if err == nil && result == nil {
		err = fmt.Errorf("answered %s: %+v", answer.Status(), answer)
	}
	return err
}

func same(expected, actual any) error {
	if !reflect.DeepEqual(expected, actual) {
		return fmt.Errorf("expected %v but got %v", expected, actual)
	}
	return nil
}
