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

const addressMax = 254

/**
 * The person with this subject or email address: one of `people`, or anyone with an email address, who needs no
 * preparation. Undefined for any other text. Letter case makes no other person.
 */
export function findPerson(people: readonly Person[], id: string): Person | undefined {
  const text = id.toLowerCase()
  const known = people.find((person) => person.id === text || person.email === text)
  if (known !== undefined) return known
  const at = text.indexOf('@')
  if (at < 1 || at === text.length - 1 || text.length > addressMax) return undefined
  return { id: text, name: nameFrom(text.slice(0, at)), email: text, emailVerified: true }
}

/** `grace.hopper` gives `Grace Hopper`. */
const nameFrom = (localPart: string) =>
  localPart
    .split(/[._-]/)
    .filter((word) => word !== '')
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join(' ') || localPart
