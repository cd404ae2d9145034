const tones: Readonly<Record<string, 'good' | 'bad' | undefined>> = { sent: 'good', failed: 'bad' }

/** The status of a message as the API names it. */
export function MessageState({ status }: { status: string }) {
  return (
    <span className="badge" data-tone={tones[status]}>
      {status}
    </span>
  )
}
