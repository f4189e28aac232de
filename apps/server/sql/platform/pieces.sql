-- Written by `npm run docs:sql`.

-- fetchPieces
FETCH 2000 FROM piece;

-- fetchPieces
CLOSE piece;
