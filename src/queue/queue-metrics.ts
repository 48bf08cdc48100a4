// The counters of a storage: names and meanings. Used by: storage.

export const QUEUE_METRICS = {
  millrace_queue_published_total: { type: 'counter', help: 'Messages stored by this process.' },
  millrace_queue_enqueued_total: { type: 'counter', help: 'Messages put into a queue by this process.' },
  millrace_queue_fetched_total: { type: 'counter', help: 'Messages fetched by this process.' },
  millrace_queue_settled_total: { type: 'counter', help: 'Deliveries confirmed, dropped, released or extended.' },
  millrace_queue_refused_total: { type: 'counter', help: 'Steps refused because the delivery was not ours any more.' },
  millrace_queue_returned_total: { type: 'counter', help: 'Leases that passed, found by this process.' },
  millrace_queue_expired_total: { type: 'counter', help: 'Messages removed by the expiration policy.' },
  millrace_queue_failures_total: { type: 'counter', help: 'Requests the server failed or refused, by code.' },
  millrace_queue_filter_errors_total: { type: 'counter', help: 'Filters that threw.' },
  millrace_queue_handler_errors_total: { type: 'counter', help: 'Handlers of work loops that threw.' },
} as const
