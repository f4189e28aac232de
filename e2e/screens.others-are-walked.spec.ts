import { describe, it } from 'vitest'
import { openScreens, screensOf, stageOfWalk } from './walk.ts'

describe('every screen of the system, and those that are open to everybody, light and dark, at 1440 and 390 px', () => {
  const { walkScreen, walkOpenScreen } = stageOfWalk()

  for (const [path, states] of screensOf('others')) {
    // proves: screen 5; screen 6; screen 13
    it(`is whole: ${path}, ${Object.keys(states).join(', ')}`, () => walkScreen(path, states))
  }

  it.each(openScreens)('is whole before anybody has signed in: %s', (path) => walkOpenScreen(path))
})
