// Uses the client's functions. Arguments: "count" or an aggregator, the first and the last day (yyyy-mm-dd). Prints the metrics as JSON.
package main

import (
	"encoding/json"
	"fmt"
	"os"
)

func main() {
	what, start, end := os.Args[1], os.Args[2], os.Args[3]
	metrics, err := MetricsK(nil), error(nil)
	if what == "count" {
		metrics, err = GetCountMetrics(start, end)
	} else {
		metrics, err = GetAggMetrics(start, end, what)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	json.NewEncoder(os.Stdout).Encode(metrics)
}
