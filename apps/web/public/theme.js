// Before the first paint: a chosen theme, so that a dark room is not lit up. Kept apart because the
// page's policy allows no inline script.
try {
  const choice = localStorage.getItem('voltkeep-theme')
  if (choice === 'light' || choice === 'dark') document.documentElement.dataset.theme = choice
} catch {}
