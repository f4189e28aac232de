// A page that is being left fails its calls and its chunks, too: these failures say nothing about the server.

import { readToken } from './session.ts'

let isGoing = false
/** The number of works under way that would end with the page. */
let underWay = 0
/** A user who stays has answered the browser's question by then: no timer runs while the browser asks. */
const answeredMs = 1_000

addEventListener('beforeunload', (event) => {
  isGoing = true
  // For a user who is signed out no work can succeed any more.
  if (underWay > 0 && readToken() !== undefined) event.preventDefault()
  setTimeout(() => {
    if (event.defaultPrevented) isGoing = false
  }, answeredMs)
})
addEventListener('pageshow', () => {
  isGoing = false
})

/** The page is about to be reloaded: until then it stays as it is. */
export function tellLeaving(): void {
  isGoing = true
}

/** Whether the browser is on its way to another page. */
export const isLeaving = (): boolean => isGoing

/** Work that ends with the page, such as a file on its way: until it is over, the browser asks before the page is left. */
export async function guardLeaving<Done>(work: Promise<Done>): Promise<Done> {
  underWay += 1
  try {
    return await work
  } finally {
    underWay -= 1
  }
}
