const tones: Readonly<Record<string, 'good' | 'bad' | 'warning' | undefined>> = {
  completed: 'good',
  processing: 'warning',
  canceled: 'bad',
}

/** The status of an invitation as the API names it. */
export function InvitationState({ status }: { status: string }) {
  return (
    <span className="badge" data-tone={tones[status]}>
      {status}
    </span>
  )
}
