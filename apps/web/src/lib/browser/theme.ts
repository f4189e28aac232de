import { createStore, useStore } from '../store.ts'

export const themeChoices = ['light', 'dark', 'system'] as const
export type ThemeChoice = (typeof themeChoices)[number]

/** The same key is read by shell/begin.ts before the first paint. */
const storageKey = 'voltkeep-theme'
const prefersDark = window.matchMedia('(prefers-color-scheme: dark)')

function readChoice(): ThemeChoice {
  try {
    const kept = localStorage.getItem(storageKey)
    return themeChoices.find((choice) => choice === kept) ?? 'system'
  } catch {
    return 'system'
  }
}

function isDarkNow(choice: ThemeChoice): boolean {
  return choice === 'dark' || (choice === 'system' && prefersDark.matches)
}

const choiceStore = createStore<ThemeChoice>(readChoice())
const darkStore = createStore<boolean>(isDarkNow(choiceStore.get()))

function apply(): void {
  const choice = choiceStore.get()
  if (choice === 'system') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = choice
  darkStore.set(isDarkNow(choice))
}

prefersDark.addEventListener('change', apply)
window.addEventListener('storage', (event) => {
  if (event.key !== storageKey) return
  choiceStore.set(readChoice())
  apply()
})

export function chooseTheme(choice: ThemeChoice): void {
  try {
    localStorage.setItem(storageKey, choice)
  } catch {
    // A browser without storage keeps the choice until it closes.
  }
  choiceStore.set(choice)
  apply()
}

export function useThemeChoice(): ThemeChoice {
  return useStore(choiceStore)
}

export function useIsDark(): boolean {
  return useStore(darkStore)
}
