"""A PostgreSQL server that ends with a benchmark, with fsync and synchronous_commit as they come."""

import os
import shutil
import subprocess
import tempfile
import time

# PostgreSQL does not run as root.
AS_POSTGRES = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []


class PostgreSQL:
    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="aasa-postgresql.", dir="/tmp")
        if AS_POSTGRES:
            shutil.chown(self.folder, "postgres")
        root = "/usr/lib/postgresql"
        self.programs = f"{root}/{max(os.listdir(root), key=int)}/bin"
        self.run("initdb", "-D", self.folder + "/data", "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8")
        self.run("pg_ctl", "-D", self.folder + "/data", "-l", self.folder + "/log", "-w", "start", "-o",
                 f"-c listen_addresses='' -c unix_socket_directories='{self.folder}' -c max_connections=200")
        self.run("createuser", "aasa")

    def run(self, program, *words):
        subprocess.run(AS_POSTGRES + [f"{self.programs}/{program}", *words], check=True, stdout=subprocess.DEVNULL,
                       cwd=self.folder, env=dict(os.environ, PGHOST=self.folder, PGUSER="postgres"))

    def create(self, name):
        self.run("createdb", "--owner=aasa", name)
        return f"postgresql://aasa@/{name}?host={self.folder}"

    def pooled(self, name):
        """The URI of a database behind pgbouncer in transaction mode; None if that is not installed."""
        if not os.path.exists("/usr/sbin/pgbouncer"):
            return None
        with open(self.folder + "/users", "w") as file:
            file.write('"aasa" ""\n')
        with open(self.folder + "/pgbouncer.ini", "w") as file:
            file.write(f"[databases]\n{name} = host={self.folder} user=aasa\n[pgbouncer]\npool_mode = transaction\n"
                       f"listen_addr =\nunix_socket_dir = {self.folder}\nauth_type = trust\n"
                       f"auth_file = {self.folder}/users\ndefault_pool_size = 20\nmax_client_conn = 500\n")
        self.pooler = subprocess.Popen(AS_POSTGRES + ["/usr/sbin/pgbouncer", "-q", self.folder + "/pgbouncer.ini"],
                                       stderr=subprocess.DEVNULL)
        while not os.path.exists(self.folder + "/.s.PGSQL.6432"):
            time.sleep(0.05)
        return f"postgresql://aasa@/{name}?host={self.folder}&port=6432"

    def end(self):
        if hasattr(self, "pooler"):
            self.pooler.terminate()
        self.run("pg_ctl", "-D", self.folder + "/data", "-m", "immediate", "stop")
        shutil.rmtree(self.folder, ignore_errors=True)
