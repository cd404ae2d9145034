interface RoleChange {
  /** The roles when the form opened. */
  readonly opened: readonly string[]
  readonly chosen: readonly string[]
  /** The roles now: another person may have changed them. */
  readonly current: readonly string[]
}

/** The roles after the change of a form: what another person has taken or given meanwhile stays so. */
export function rolesAfter({ opened, chosen, current }: RoleChange): string[] {
  const stays = current.filter((id) => chosen.includes(id) || !opened.includes(id))
  const added = chosen.filter((id) => !opened.includes(id) && !current.includes(id))
  return [...stays, ...added]
}
