import { describe, it } from 'vitest'
import { screensOf, stageOfWalk } from './walk.ts'

describe('every screen of maintenance, light and dark, at 1440 and 390 px', () => {
  const { walkScreen } = stageOfWalk()

  for (const [path, states] of screensOf('maintenance')) {
    // proves: screen 1; screen 2; screen 3; screen 15
    it(`is whole: ${path}, ${Object.keys(states).join(', ')}`, () => walkScreen(path, states))
  }
})
