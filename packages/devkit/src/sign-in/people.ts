/** A person of the development provider. */
export interface Person {
  /** The subject. */
  readonly id: string
  readonly name: string
  readonly email: string
  readonly emailVerified: boolean
}

/** The people of a fresh local stack. */
export const developmentPeople: readonly Person[] = [
  { id: 'ada', name: 'Ada Admin', email: 'ada@juniper.example', emailVerified: true },
  { id: 'dev', name: 'Dev Developer', email: 'dev@juniper.example', emailVerified: true },
  { id: 'viv', name: 'Viv Viewer', email: 'viv@juniper.example', emailVerified: true },
]
