type Defined<T> = { [M in keyof T as undefined extends T[M] ? never : M]: T[M] } & {
  [M in keyof T as undefined extends T[M] ? M : never]?: Exclude<T[M], undefined>
}

/** The members that are not undefined: the conditions that a filter has, or the values that a change sets. */
export function definedMembers<T extends object>(members: T): Defined<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>
}
