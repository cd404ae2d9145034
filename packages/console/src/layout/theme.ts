/** Light, dark, or as the system says. The choice is in the storage of the browser. */
export type Theme = 'system' | 'light' | 'dark'

const key = 'theme'

export function readTheme(): Theme {
  const stored = localStorage.getItem(key)
  return stored === 'light' || stored === 'dark' ? stored : 'system'
}

export function applyTheme(theme: Theme): void {
  const { dataset } = document.documentElement
  if (theme === 'system') {
    localStorage.removeItem(key)
    delete dataset['theme']
  } else {
    localStorage.setItem(key, theme)
    dataset['theme'] = theme
  }
}
