// The counters and gauges of a worker: names and meanings. Used by: worker.

export const WORKER_METRICS = {
  millrace_worker_processed_total: { type: 'counter', help: 'Jobs done, recorded and acknowledged.' },
  millrace_worker_failed_total: { type: 'counter', help: 'Deliveries whose handler or completion record failed.' },
  millrace_worker_skipped_total: { type: 'counter', help: 'Entries acknowledged because their job was done already.' },
  millrace_worker_claimed_total: { type: 'counter', help: 'Entries taken over from other consumers.' },
  millrace_worker_dead_lettered_total: { type: 'counter', help: 'Entries moved to the dead letters.' },
  millrace_worker_payload_gone_total: { type: 'counter', help: 'Pending entries found without their payload.' },
  millrace_worker_redispatched_total: { type: 'counter', help: 'Unfinished jobs dispatched anew.' },
  millrace_worker_unrecoverable_total: { type: 'counter', help: 'Unfinished jobs of which no description exists.' },
  millrace_worker_lost_total: { type: 'counter', help: 'Held jobs that another consumer took over.' },
  millrace_worker_handed_back_total: { type: 'counter', help: 'Entries given back so that others claim them at once.' },
  millrace_worker_retired_total: { type: 'counter', help: 'Dead consumers removed from the group.' },
  millrace_worker_groups_created_total: { type: 'counter', help: 'Times the group was made, or made again.' },
  millrace_worker_errors_total: { type: 'counter', help: 'Requests that failed and were repeated.' },
  millrace_worker_handler_seconds_total: { type: 'counter', help: 'Time spent in handlers.' },
  millrace_worker_running: { type: 'gauge', help: 'Handlers running.' },
  millrace_worker_waiting: { type: 'gauge', help: 'Entries fetched and not begun.' },
  millrace_worker_delayed: { type: 'gauge', help: 'Failed jobs waiting to be tried again.' },
  millrace_worker_lag: { type: 'gauge', help: 'Entries of the stream not delivered to the group yet; -1: unknown.' },
  millrace_worker_pending: { type: 'gauge', help: 'Entries delivered to the group and not acknowledged.' },
  millrace_worker_oldest_pending_seconds: { type: 'gauge', help: 'Age of the oldest pending entry, by its ID.' },
} as const
