// A journey with a client that openapi-generator makes for Go.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"reflect"
	"sort"
	"strings"
	"time"

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
	configuration := client.NewConfiguration()
	configuration.Servers = client.ServerConfigurations{{URL: baseURL}}
	api := client.NewAPIClient(configuration)
	ctx := context.WithValue(context.Background(), client.ContextAccessToken, key)

	// Create.
	source, _, err := api.SourcesAPI.CreateSource(ctx).SourceCreate(*client.NewSourceCreate("Shop")).Execute()
	if err != nil {
		return because(err)
	}
	wanted := client.NewDestinationCreate("App", receiver)
	wanted.SetTimeoutMs(4321)
	wanted.SetMaxInFlight(7)
	wanted.SetCustomHeaders(map[string]string{"X-A": "b"})
	destination, _, err := api.DestinationsAPI.CreateDestination(ctx).DestinationCreate(*wanted).Execute()
	if err != nil {
		return because(err)
	}

	// A PATCH of one field changes nothing else.
	name := client.NewDestinationUpdate()
	name.SetName("Renamed")
	renamed, _, err := api.DestinationsAPI.UpdateDestination(ctx, destination.Id).DestinationUpdate(*name).Execute()
	if err != nil {
		return because(err)
	}
	if err := same([]any{"Renamed", int32(4321), int32(7), map[string]string{"X-A": "b"}}, []any{renamed.Name, renamed.TimeoutMs, renamed.MaxInFlight, renamed.CustomHeaders}); err != nil {
		return err
	}

	// A filter with a rule and a group, and a transformation, read back with their types.
	rule := client.NewFilterRuleOrGroupInput()
	rule.SetPath("body.type")
	rule.SetOp("in")
	rule.SetValue([]string{"order.created", "order.paid"})
	total := client.NewFilterRuleInput("body.total", "gt")
	total.SetValue(5)
	group := client.NewFilterRuleOrGroupInput()
	group.SetOperator("or")
	group.SetRules([]client.FilterRuleInput{*total, *client.NewFilterRuleInput("headers.X-Test", "exists")})
	filter := client.NewFilterRulesInput("and", []client.FilterRuleOrGroupInput{*rule, *group})
	transformation := client.NewTransformationInput()
	transformation.SetSetHeaders([]client.HeaderAssignmentInput{*client.NewHeaderAssignmentInput("X-Event", "{{event.id}}")})
	transformation.SetMergeBodyFields(map[string]any{"seen": true})
	link := client.NewConnectionCreate(source.Id, destination.Id)
	link.SetFilterRules(*filter)
	link.SetTransformation(*transformation)
	connection, _, err := api.ConnectionsAPI.CreateConnection(ctx).ConnectionCreate(*link).Execute()
	if err != nil {
		return because(err)
	}
	read, _, err := api.ConnectionsAPI.GetConnection(ctx, connection.Id).Execute()
	if err != nil {
		return because(err)
	}
	readFilter, readTransformation := read.GetFilterRules(), read.GetTransformation()
	if err := same([]any{"body.total", "X-Event"}, []any{readFilter.Rules[1].Rules[0].Path, readTransformation.SetHeaders[0].Name}); err != nil {
		return err
	}
	change := client.NewConnectionUpdate()
	change.SetFilterRules(*filter)
	again, _, err := api.ConnectionsAPI.UpdateConnection(ctx, connection.Id).ConnectionUpdate(*change).Execute()
	if err != nil {
		return because(err)
	}
	kept := again.GetTransformation()
	if err := same("{{event.id}}", kept.SetHeaders[0].Value); err != nil {
		return err
	}

	// A list, in pages.
	page, _, err := api.SourcesAPI.ListSources(ctx).Q("shop").Page(1).Limit(1).Execute()
	if err != nil {
		return because(err)
	}
	if err := same(1, len(page.Items)); err != nil {
		return err
	}

	// A typed error.
	_, answer, err := api.DestinationsAPI.CreateDestination(ctx).DestinationCreate(*client.NewDestinationCreate("", "ftp://example.com/")).Execute()
	var refused *client.GenericOpenAPIError
	if !errors.As(err, &refused) {
		return fmt.Errorf("the destination should be refused: %v", err)
	}
	problem, ok := refused.Model().(client.Error)
	if !ok {
		return fmt.Errorf("the error is a %T", refused.Model())
	}
	var fields []string
	for _, detail := range problem.Error.Details {
		fields = append(fields, detail.Field)
	}
	sort.Strings(fields)
	if err := same([]any{422, "validation_failed", "name,url"}, []any{answer.StatusCode, string(problem.Error.Code), strings.Join(fields, ",")}); err != nil {
		return err
	}

	// A dry run, and a webhook with its delivery.
	sample := client.NewPreviewSample()
	sample.SetBody(order)
	trial := client.NewPreviewRequest()
	trial.SetConnectionId(connection.Id)
	trial.SetSample(*sample)
	preview, _, err := api.ConnectionsAPI.PreviewConnection(ctx).PreviewRequest(*trial).Execute()
	if err != nil {
		return because(err)
	}
	request := preview.GetRequest()
	if err := same([]any{true, 2, "POST"}, []any{preview.GetPasses(), len(preview.Rules), string(request.Method)}); err != nil {
		return err
	}
	eventID, err := send(baseURL + source.IngestPath)
	if err != nil {
		return err
	}
	event, _, err := api.EventsAPI.GetEvent(ctx, eventID).Execute()
	if err != nil {
		return because(err)
	}
	if err := same([]any{"PUT", 1, order}, []any{string(event.Method), len(event.Deliveries), event.GetBody()}); err != nil {
		return err
	}

	// Resends; the first one has no body.
	resent, _, err := api.ReplayAPI.ResendEvent(ctx, eventID).Execute()
	if err != nil {
		return because(err)
	}
	if err := same(int32(1), resent.Created); err != nil {
		return err
	}
	if err := awaitDeliveries(ctx, api, eventID); err != nil {
		return err
	}
	bulk := client.NewBulkResendRequest(connection.Id)
	bulk.SetStatuses([]client.ReplayableStatus{"succeeded"})
	made, _, err := api.ReplayAPI.ResendDeliveries(ctx).BulkResendRequest(*bulk).Execute()
	if err != nil {
		return because(err)
	}
	if err := same([]any{false, int32(1)}, []any{made.HasDryRun(), made.Created}); err != nil {
		return err
	}
	bulk = client.NewBulkResendRequest(connection.Id)
	bulk.SetDryRun(true)
	counted, _, err := api.ReplayAPI.ResendDeliveries(ctx).BulkResendRequest(*bulk).Execute()
	if err != nil {
		return because(err)
	}
	if err := same([]any{true, int32(0), int32(0)}, []any{counted.GetDryRun(), counted.Created, counted.GetWouldCreate()}); err != nil {
		return err
	}

	// A stream. The generated method reads an answer to its end, so this is a plain request.
	stream, err := http.NewRequest("GET", baseURL+"/api/v1/sources/"+source.Id+"/tail?after="+eventID, nil)
	if err != nil {
		return err
	}
	stream.Header.Set("Authorization", "Bearer "+key)
	messages, err := http.DefaultClient.Do(stream)
	if err != nil {
		return err
	}
	defer messages.Body.Close()
	for lines := bufio.NewScanner(messages.Body); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "event:") {
			return same("event: ready", lines.Text())
		}
	}
	return errors.New("the stream ended")
}

// Waits until all deliveries of an event have succeeded, at most 30 s.
func awaitDeliveries(ctx context.Context, api *client.APIClient, id string) error {
	for deadline := time.Now().Add(30 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		event, _, err := api.EventsAPI.GetEvent(ctx, id).Execute()
		if err != nil {
			return because(err)
		}
		done := 0
		for _, delivery := range event.Deliveries {
			if delivery.Status == "succeeded" {
				done++
			}
		}
		if done == len(event.Deliveries) {
			return nil
		}
	}
	return errors.New("the deliveries should succeed")
}

// Sends a webhook, as a sender does, and returns the event's id.
func send(url string) (string, error) {
	request, err := http.NewRequest("PUT", url, strings.NewReader(order))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer answer.Body.Close()
	var accepted client.IngestAccepted
	err = json.NewDecoder(answer.Body).Decode(&accepted)
	return accepted.RequestId, err
}

func because(err error) error {
	var refused *client.GenericOpenAPIError
	if errors.As(err, &refused) {
		return fmt.Errorf("%w: %s", err, refused.Body())
	}
	return err
}

func same(expected, actual any) error {
	if !reflect.DeepEqual(expected, actual) {
		return fmt.Errorf("expected %v but got %v", expected, actual)
	}
	return nil
}
