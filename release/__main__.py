"""`make package`: builds everything into `dist/`, checks it, and prints what it is."""

import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from release import bundle, checks

ROOT = Path(__file__).parents[1]
DIST = ROOT / "dist"


def main() -> None:
    """Build, check, and print names with sizes and hashes."""
    checks.check_versions()
    shutil.rmtree(DIST, ignore_errors=True)
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(DIST)], cwd=ROOT, check=True
    )
    (wheel,) = DIST.glob("*.whl")
    checks.check_wheel(wheel)
    (source,) = DIST.glob("*.tar.gz")
    checks.check_source(source)
    with tempfile.TemporaryDirectory() as folder:
        checks.check_bundle(bundle.write(wheel, DIST), Path(folder))
    checks.check_registry()
    shutil.copy(ROOT / "release/server.json", DIST)
    for file in sorted(DIST.iterdir()):
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        print(f"{digest}  {file.stat().st_size:>9,}  dist/{file.name}")


if __name__ == "__main__":
    main()
