const tones: Readonly<Record<string, 'good' | 'bad' | 'warning' | undefined>> = {
  delivered: 'good',
  retrying: 'warning',
  held: 'warning',
  dead: 'bad',
}

/** The status of a delivery as the API names it. */
export function DeliveryState({ status }: { status: string }) {
  return (
    <span className="badge" data-tone={tones[status]}>
      {status}
    </span>
  )
}
