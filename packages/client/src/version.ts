/** The version in package.json. A test compares the two. */
export const version = '1.0.0'
