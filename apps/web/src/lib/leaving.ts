// A page that is being left fails its calls and its chunks, too: that says nothing about the server.

let isGoing = false
addEventListener('beforeunload', () => {
  isGoing = true
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
